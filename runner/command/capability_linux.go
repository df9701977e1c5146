package command

import "golang.org/x/sys/unix"

// tracing are the capabilities with which root reads the memory and the environment of
// other processes past Landlock. Since Linux 6.13 the last two suffice for reading.
var tracing = []uint32{unix.CAP_SYS_PTRACE, unix.CAP_SYS_ADMIN, unix.CAP_PERFMON}

// dropTracing removes the capabilities in tracing from the calling thread. Without new
// privileges, the programs that it starts cannot get them again.
func dropTracing() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData // capabilities 0 to 31, and 32 to 63
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	for _, capability := range tracing {
		word, bit := &data[capability/32], uint32(1)<<(capability%32)
		word.Permitted &^= bit
		word.Effective &^= bit
		word.Inheritable &^= bit
	}
	return unix.Capset(&header, &data[0])
}
