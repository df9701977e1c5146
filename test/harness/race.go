package harness

// Race is the environment of a program that is built with the race detector, which
// would hold its end up for a second: a script of tests starts hundreds. Another
// program does not look at it.
const Race = "GORACE=atexit_sleep_ms=50"
