//go:build tools

// Package tools keeps the program that we build in go.mod, so that go.sum verifies it.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
)
