package command

import "golang.org/x/sys/unix"

// dropped are the capabilities with which root leaves the restrictions. The first three read
// the memory and the environment of other processes past Landlock; since Linux 6.13 the last two
// of them suffice for reading. A device that was made below the root of the program would be a
// way to the disk.
var dropped = []uint32{unix.CAP_SYS_PTRACE, unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_MKNOD, unix.CAP_NET_ADMIN}

// dropCapabilities removes the capabilities in dropped from the calling thread. Without new
// privileges, the programs that it starts cannot get them again.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData // capabilities 0 to 31, and 32 to 63
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	for _, capability := range dropped {
		word, bit := &data[capability/32], uint32(1)<<(capability%32)
		word.Permitted &^= bit
		word.Effective &^= bit
		word.Inheritable &^= bit
	}
	return unix.Capset(&header, &data[0])
}
