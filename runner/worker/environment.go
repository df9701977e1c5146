//go:build !race

package worker

// environment is the environment of a worker, which is empty.
var environment = []string{}
