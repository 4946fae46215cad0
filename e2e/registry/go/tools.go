//go:build tools

// Package tools keeps the program that we build in go.mod, so that go.sum verifies it.
package tools

import (
	_ "github.com/distribution/distribution/v3/cmd/registry"
)
