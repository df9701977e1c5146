//go:build nomodel

package minilm

var blob string
