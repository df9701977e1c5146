//go:build !linux

package worker_test

const gatewayCommand = "__gateway"

func runGateway(string) int { return 1 }

func children() []string { return nil }
