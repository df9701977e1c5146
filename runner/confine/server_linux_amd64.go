package confine

import "golang.org/x/sys/unix"

var refusedToServersHere = []uint32{
	unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_KEXEC_FILE_LOAD,
}

var changesOfFilesHere = []uint32{unix.SYS_CHMOD}
