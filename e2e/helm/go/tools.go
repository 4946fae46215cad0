//go:build tools

// Package tools keeps the programs that we build in go.mod, so that go.sum verifies them.
package tools

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
