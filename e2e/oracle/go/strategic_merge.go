package main

import (
	"encoding/json"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// Go visits a patch's keys in random order. Where two keys touch one field the outcome depends on it, so such a case is
// repeated until every outcome has been seen with near certainty (the rarer order comes up at least once in eight).
const repeatsWhenOrderMatters = 100

const deleteListPrefix = "$deleteFromPrimitiveList/"

type mergeCase struct {
	Original json.RawMessage   `json:"original"`
	Patches  []json.RawMessage `json:"patches"`
}

// mergeAnswer lists every outcome seen, sorted and without repetition: one, unless the order of keys matters.
type mergeAnswer struct {
	Outcomes []mergeOutcome `json:"outcomes"`
}

type mergeOutcome struct {
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// strategicMerge applies the patches to a pod template in order, on bytes, as a controller does.
func strategicMerge(text json.RawMessage) (any, error) {
	asked := decode[mergeCase](text)
	if !orderMatters(asked.Patches) {
		result, err := mergeAll(asked)
		if err != nil {
			return nil, err
		}
		return mergeAnswer{Outcomes: []mergeOutcome{{Result: result}}}, nil
	}
	seen := map[string]mergeOutcome{}
	for range repeatsWhenOrderMatters {
		if result, err := mergeAll(asked); err == nil {
			seen[string(result)] = mergeOutcome{Result: result}
		} else {
			seen[""] = mergeOutcome{Error: err.Error()}
		}
	}
	return mergeAnswer{Outcomes: inOrder(seen)}, nil
}

func mergeAll(asked mergeCase) ([]byte, error) {
	result := []byte(asked.Original)
	for _, patch := range asked.Patches {
		merged, err := strategicpatch.StrategicMergePatch(result, patch, corev1.PodTemplateSpec{})
		if err != nil {
			return nil, err
		}
		result = merged
	}
	return result, nil
}

// orderMatters says whether some map of a patch both sets a list and deletes from it.
func orderMatters(patches []json.RawMessage) bool {
	for _, patch := range patches {
		var decoded any
		if json.Unmarshal(patch, &decoded) == nil && hasContestedKey(decoded) {
			return true
		}
	}
	return false
}

func hasContestedKey(value any) bool {
	switch typed := value.(type) {
	case []any:
		for _, element := range typed {
			if hasContestedKey(element) {
				return true
			}
		}
	case map[string]any:
		for key, element := range typed {
			if field, isDeleteList := strings.CutPrefix(key, deleteListPrefix); isDeleteList {
				if _, contested := typed[field]; contested {
					return true
				}
			}
			if hasContestedKey(element) {
				return true
			}
		}
	}
	return false
}

func inOrder(seen map[string]mergeOutcome) []mergeOutcome {
	texts := make([]string, 0, len(seen))
	for text := range seen {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	outcomes := make([]mergeOutcome, 0, len(seen))
	for _, text := range texts {
		outcomes = append(outcomes, seen[text])
	}
	return outcomes
}
