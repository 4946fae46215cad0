package main

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

type placementCase struct {
	PodSpec             corev1.PodSpec `json:"podSpec"`
	Node                corev1.Node    `json:"node"`
	ComparisonOperators bool           `json:"comparisonOperators"`
}

type affinityAnswer struct {
	Matches bool `json:"matches"`
}

// matchAffinity evaluates nodeSelector and the required node affinity of a pod against a node.
func matchAffinity(text json.RawMessage) (any, error) {
	asked := decode[placementCase](text)
	// A malformed term never matches; controllers ignore its error.
	matches, _ := nodeaffinity.GetRequiredNodeAffinity(&corev1.Pod{Spec: asked.PodSpec}).Match(&asked.Node)
	return affinityAnswer{Matches: matches}, nil
}
