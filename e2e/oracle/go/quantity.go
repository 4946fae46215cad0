package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/resource"
)

type quantityCase struct {
	Left  string `json:"left"`
	Right string `json:"right"`
}

type quantityAnswer struct {
	// Canonical forms of left and right, as the API server would store them.
	Left  string `json:"left"`
	Right string `json:"right"`
	// Order is -1, 0 or 1 as left is less than, equal to or greater than right.
	Order int `json:"order"`
}

// compareQuantities parses two amounts such as "1.5Gi" and "100m"; an error if either is malformed.
func compareQuantities(text json.RawMessage) (any, error) {
	asked := decode[quantityCase](text)
	left, err := resource.ParseQuantity(asked.Left)
	if err != nil {
		return nil, err
	}
	right, err := resource.ParseQuantity(asked.Right)
	if err != nil {
		return nil, err
	}
	return quantityAnswer{Left: left.String(), Right: right.String(), Order: left.Cmp(right)}, nil
}
