package confirm

import "golang.org/x/sys/unix"

// look reads the process table, which has neither arguments nor environments.
func look(pid int) (process, bool) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return process{}, false
	}
	return process{parent: int(info.Eproc.Ppid), name: unix.ByteSliceToString(info.Proc.P_comm[:])}, true
}
