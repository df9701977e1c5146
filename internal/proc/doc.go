// Package proc watches and ends the processes of programs that this program starts, and reduces the
// memory of its own process. A Start shows what a starting program does. A Reaper ends the processes
// of a program that was killed. ShrinkMemory returns memory to the system. See
// docs/design/processes.md.
package proc
