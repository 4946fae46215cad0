package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

type shouldRunAnswer struct {
	ShouldRun             bool                `json:"shouldRun"`
	ShouldContinueRunning bool                `json:"shouldContinueRunning"`
	Tolerations           []corev1.Toleration `json:"tolerations"`
}

// shouldRun answers whether a daemon's pod belongs on a node. The predicate itself lives in a module that cannot be
// imported, so it is put together here from the exported parts it consists of.
func shouldRun(text json.RawMessage) (any, error) {
	asked := decode[placementCase](text)
	daemon := prepareDaemon(asked.PodSpec, asked.ComparisonOperators)
	runs, continues := daemon.shouldRunOn(&asked.Node)
	return shouldRunAnswer{ShouldRun: runs, ShouldContinueRunning: continues, Tolerations: daemon.tolerations}, nil
}

// daemon is what the predicate needs to know about a pod template, worked out once for all nodes.
type daemon struct {
	nodeName            string
	affinity            nodeaffinity.RequiredNodeAffinity
	tolerations         []corev1.Toleration
	comparisonOperators bool
}

func prepareDaemon(spec corev1.PodSpec, comparisonOperators bool) daemon {
	return daemon{
		nodeName:            spec.NodeName,
		affinity:            nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: spec}),
		tolerations:         withDaemonTolerations(spec),
		comparisonOperators: comparisonOperators,
	}
}

func (d daemon) shouldRunOn(node *corev1.Node) (runs, continues bool) {
	if d.nodeName != "" && d.nodeName != node.Name {
		return false, false
	}
	// A malformed term never matches; controllers ignore its error.
	if fits, _ := d.affinity.Match(node); !fits {
		return false, false
	}
	if d.toleratesAll(node, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute) {
		return true, true
	}
	return false, d.toleratesAll(node, corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute)
}

func (d daemon) toleratesAll(node *corev1.Node, effect, orEffect corev1.TaintEffect) bool {
	_, found := scheduling.FindMatchingUntoleratedTaint(quiet, node.Spec.Taints, d.tolerations, func(taint *corev1.Taint) bool {
		return taint.Effect == effect || taint.Effect == orEffect
	}, d.comparisonOperators)
	return !found
}

// withDaemonTolerations adds what every daemon tolerates: each entry overwrites its equals, or joins at the end.
func withDaemonTolerations(spec corev1.PodSpec) []corev1.Toleration {
	tolerations := append([]corev1.Toleration(nil), spec.Tolerations...)
	defaults := []corev1.Toleration{
		{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeUnreachable, Effect: corev1.TaintEffectNoExecute},
		{Key: corev1.TaintNodeDiskPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeMemoryPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodePIDPressure, Effect: corev1.TaintEffectNoSchedule},
		{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule},
	}
	if spec.HostNetwork {
		defaults = append(defaults, corev1.Toleration{Key: corev1.TaintNodeNetworkUnavailable, Effect: corev1.TaintEffectNoSchedule})
	}
	for _, wanted := range defaults {
		wanted.Operator = corev1.TolerationOpExists
		tolerations = addOrUpdate(tolerations, wanted)
	}
	return tolerations
}

func addOrUpdate(tolerations []corev1.Toleration, wanted corev1.Toleration) []corev1.Toleration {
	updated := false
	for index := range tolerations {
		if tolerations[index].MatchToleration(&wanted) {
			tolerations[index] = wanted
			updated = true
		}
	}
	if updated {
		return tolerations
	}
	return append(tolerations, wanted)
}
