//go:build race

package worker

// environment is that of a worker. The race detector, which only tests have, otherwise
// delays the end of each process by a second.
var environment = []string{"GORACE=atexit_sleep_ms=0"}
