//go:build !race

package worker

// environment is that of a worker: none.
var environment = []string{}
