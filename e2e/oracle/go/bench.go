package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// benchCase names the work, its input, and how often to repeat it. Whoever asks chooses the repetitions, so that one
// rule for the length of a round serves both sides of a comparison.
type benchCase struct {
	Work       string `json:"work"`
	Iterations int    `json:"iterations"`

	Merges   []mergeCase           `json:"merges"`
	Selector *metav1.LabelSelector `json:"selector"`
	Labels   []labels.Set          `json:"labels"`
	PodSpec  corev1.PodSpec        `json:"podSpec"`
	Nodes    []corev1.Node         `json:"nodes"`
}

type benchAnswer struct {
	// CPUNs is the processor time of all iterations, garbage collection included; one iteration visits every merge,
	// label set or node of the case.
	CPUNs int64 `json:"cpuNs"`
	// Checksum keeps the work from being optimised away, and must be the same in every round.
	Checksum int `json:"checksum"`
}

// bench times work inside this process: neither the pipe nor the decoding of the case counts.
func bench(text json.RawMessage) (any, error) {
	asked := decode[benchCase](text)
	prepare, known := works[asked.Work]
	if !known {
		return nil, fmt.Errorf("unknown work %q", asked.Work)
	}
	once := prepare(asked)
	checksum := 0
	// The garbage of decoding is none of the work's.
	runtime.GC()
	start := cpuNs()
	for range asked.Iterations {
		checksum += once()
	}
	return benchAnswer{CPUNs: cpuNs() - start, Checksum: checksum}, nil
}

// cpuNs is what all threads of this process have used so far. A wall clock would also count other people's work.
func cpuNs() int64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		fail(err)
	}
	return used.Utime.Nano() + used.Stime.Nano()
}

var works = map[string]func(benchCase) func() int{
	"mergeBytes":       mergeBytes,
	"mergeTyped":       mergeTyped,
	"selector":         selectLabels,
	"shouldRunHoisted": shouldRunHoisted,
	"shouldRunPerNode": shouldRunPerNode,
}

// mergeBytes is the library's own path: bytes in, bytes out, patch after patch.
func mergeBytes(asked benchCase) func() int {
	return func() int {
		size := 0
		for _, merge := range asked.Merges {
			result, err := mergeAll(merge)
			if err == nil {
				size += len(result)
			}
		}
		return size
	}
}

// mergeTyped is the path the enhancement proposal describes: for each patch the typed template is written as JSON,
// merged, and read back into the type.
func mergeTyped(asked benchCase) func() int {
	templates := make([]corev1.PodTemplateSpec, len(asked.Merges))
	for index, merge := range asked.Merges {
		templates[index] = decode[corev1.PodTemplateSpec](merge.Original)
	}
	return func() int {
		containers := 0
		for index, merge := range asked.Merges {
			result, err := mergeTypedAll(templates[index], merge.Patches)
			if err == nil {
				containers += len(result.Spec.Containers)
			}
		}
		return containers
	}
}

func mergeTypedAll(template corev1.PodTemplateSpec, patches []json.RawMessage) (corev1.PodTemplateSpec, error) {
	for _, patch := range patches {
		original, err := json.Marshal(template)
		if err != nil {
			return template, err
		}
		merged, err := strategicpatch.StrategicMergePatch(original, patch, &corev1.PodTemplateSpec{})
		if err != nil {
			return template, err
		}
		var next corev1.PodTemplateSpec
		if err := json.Unmarshal(merged, &next); err != nil {
			return template, err
		}
		template = next
	}
	return template, nil
}

// selectLabels matches a selector that was parsed beforehand.
func selectLabels(asked benchCase) func() int {
	selector, err := metav1.LabelSelectorAsSelector(asked.Selector)
	if err != nil {
		fail(err)
	}
	return func() int {
		matched := 0
		for _, set := range asked.Labels {
			if selector.Matches(set) {
				matched++
			}
		}
		return matched
	}
}

// shouldRunHoisted prepares the daemon once and asks about every node.
func shouldRunHoisted(asked benchCase) func() int {
	prepared := prepareDaemon(asked.PodSpec, false)
	return func() int {
		return countRunning(asked.Nodes, func() daemon { return prepared })
	}
}

// shouldRunPerNode prepares the daemon anew for every node, as releases before 1.37 do.
func shouldRunPerNode(asked benchCase) func() int {
	return func() int {
		return countRunning(asked.Nodes, func() daemon { return prepareDaemon(asked.PodSpec, false) })
	}
}

func countRunning(nodes []corev1.Node, prepared func() daemon) int {
	running := 0
	for index := range nodes {
		if runs, _ := prepared().shouldRunOn(&nodes[index]); runs {
			running++
		}
	}
	return running
}
