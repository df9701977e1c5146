//go:build race

package worker

// environment is the environment of a worker in tests with the race detector. Without this variable,
// the race detector delays the end of each process by a second.
var environment = []string{"GORACE=atexit_sleep_ms=0"}
