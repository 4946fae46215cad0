package main

import (
	"encoding/json"

	kubejson "k8s.io/apimachinery/pkg/util/json"
)

type jsonCase struct {
	Text string `json:"text"`
}

type jsonAnswer struct {
	Text string `json:"text"`
}

// canonicalJSON reads a text as the API server does and writes it back as Go does: keys sorted by bytes, no blanks,
// HTML characters escaped.
func canonicalJSON(text json.RawMessage) (any, error) {
	asked := decode[jsonCase](text)
	var value any
	if err := kubejson.Unmarshal([]byte(asked.Text), &value); err != nil {
		return nil, err
	}
	written, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return jsonAnswer{Text: string(written)}, nil
}
