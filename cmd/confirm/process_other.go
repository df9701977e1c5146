//go:build !linux && !darwin && !windows

package confirm

// look finds no process on this system: only the variables of this process can show an agent.
func look(int) (process, bool) { return process{}, false }
