package main

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

type selectorCase struct {
	Selector *metav1.LabelSelector `json:"selector"`
	Labels   labels.Set            `json:"labels"`
}

type selectorAnswer struct {
	Matches bool `json:"matches"`
	// Text is the selector as a list query would carry it.
	Text string `json:"text"`
}

// matchSelector evaluates a selector as it stands in an object.
func matchSelector(text json.RawMessage) (any, error) {
	asked := decode[selectorCase](text)
	selector, err := metav1.LabelSelectorAsSelector(asked.Selector)
	if err != nil {
		return nil, err
	}
	return selectorAnswer{Matches: selector.Matches(asked.Labels), Text: selector.String()}, nil
}
