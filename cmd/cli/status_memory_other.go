//go:build !linux

package cli

func privateMB(int) float64 { return 0 }
