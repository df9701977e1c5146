package command

import "golang.org/x/sys/unix"

// dropped are the capabilities with which root could bypass the restrictions. The first three
// let it read the memory and the environment of other processes; since Linux 6.13, each of
// CAP_SYS_ADMIN and CAP_PERFMON suffices. CAP_MKNOD would let it make a device of the disk
// below Root.
var dropped = []uint32{unix.CAP_SYS_PTRACE, unix.CAP_SYS_ADMIN, unix.CAP_PERFMON, unix.CAP_MKNOD, unix.CAP_NET_ADMIN}

// dropCapabilities removes the capabilities in dropped from the calling thread. Because of
// no_new_privs, the programs that it starts cannot regain them.
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
