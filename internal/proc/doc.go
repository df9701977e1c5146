// Package proc watches and ends the processes that this program starts, and reduces the memory of
// its own process. A Start observes a program that starts. A Reaper ends the processes that this
// program leaves when it is killed. ShrinkMemory returns memory to the system. See
// docs/design/processes.md.
package proc
