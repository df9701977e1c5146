package harness

// Race is the environment for a program built with the race detector, which otherwise
// delays the exit of each process by a second. Tests start hundreds of processes.
// Other programs ignore the variable.
const Race = "GORACE=atexit_sleep_ms=50"
