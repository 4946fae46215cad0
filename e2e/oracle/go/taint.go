package main

import (
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	scheduling "k8s.io/component-helpers/scheduling/corev1"
)

type taintCase struct {
	Taints      []corev1.Taint      `json:"taints"`
	Tolerations []corev1.Toleration `json:"tolerations"`
	// Effects are the ones that count; none means that all do.
	Effects []corev1.TaintEffect `json:"effects"`
	// ComparisonOperators is the feature gate for the operators Lt and Gt.
	ComparisonOperators bool `json:"comparisonOperators"`
}

type taintAnswer struct {
	// Tolerates holds a row per toleration and a column per taint.
	Tolerates [][]bool `json:"tolerates"`
	// Untolerated is the index of the first taint that nothing tolerates, or -1.
	Untolerated int `json:"untolerated"`
}

// matchTaints sets every toleration against every taint, and all of them against the whole list.
func matchTaints(text json.RawMessage) (any, error) {
	asked := decode[taintCase](text)
	result := taintAnswer{Tolerates: make([][]bool, len(asked.Tolerations)), Untolerated: -1}
	for row, toleration := range asked.Tolerations {
		result.Tolerates[row] = make([]bool, len(asked.Taints))
		for column := range asked.Taints {
			result.Tolerates[row][column] = toleration.ToleratesTaint(quiet, &asked.Taints[column], asked.ComparisonOperators)
		}
	}
	filter := func(taint *corev1.Taint) bool {
		return len(asked.Effects) == 0 || slices.Contains(asked.Effects, taint.Effect)
	}
	first, found := scheduling.FindMatchingUntoleratedTaint(quiet, asked.Taints, asked.Tolerations, filter, asked.ComparisonOperators)
	if found {
		result.Untolerated = slices.Index(asked.Taints, first)
	}
	return result, nil
}
