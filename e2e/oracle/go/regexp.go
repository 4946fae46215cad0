package main

import (
	"encoding/json"
	"regexp"
)

type regexpCase struct {
	Pattern string   `json:"pattern"`
	Texts   []string `json:"texts"`
}

type regexpAnswer struct {
	Matches []bool `json:"matches"`
}

// matchRegexp says for each text whether the pattern occurs in it.
func matchRegexp(text json.RawMessage) (any, error) {
	asked := decode[regexpCase](text)
	compiled, err := regexp.Compile(asked.Pattern)
	if err != nil {
		return nil, err
	}
	result := regexpAnswer{Matches: make([]bool, len(asked.Texts))}
	for index, candidate := range asked.Texts {
		result.Matches[index] = compiled.MatchString(candidate)
	}
	return result, nil
}
