package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/labels"
)

type selectorTextCase struct {
	Text   string     `json:"text"`
	Labels labels.Set `json:"labels"`
}

// matchSelectorText evaluates a selector as it is written on a command line or in a list query.
func matchSelectorText(text json.RawMessage) (any, error) {
	asked := decode[selectorTextCase](text)
	selector, err := labels.Parse(asked.Text)
	if err != nil {
		return nil, err
	}
	return selectorAnswer{Matches: selector.Matches(asked.Labels), Text: selector.String()}, nil
}
