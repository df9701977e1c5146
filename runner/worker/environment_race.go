//go:build race

package worker

// environment is the environment of a worker. Without it, the race detector, which only tests
// have, delays the end of each process by a second.
var environment = []string{"GORACE=atexit_sleep_ms=0"}
