package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/intstr"
)

type scaleCase struct {
	Value   *intstr.IntOrString `json:"value"`
	Total   int                 `json:"total"`
	RoundUp bool                `json:"roundUp"`
}

type scaleAnswer struct {
	Scaled int `json:"scaled"`
}

// scaleIntOrPercent turns "30%" of a total, or a plain number, into a number.
func scaleIntOrPercent(text json.RawMessage) (any, error) {
	asked := decode[scaleCase](text)
	scaled, err := intstr.GetScaledValueFromIntOrPercent(asked.Value, asked.Total, asked.RoundUp)
	if err != nil {
		return nil, err
	}
	return scaleAnswer{Scaled: scaled}, nil
}
