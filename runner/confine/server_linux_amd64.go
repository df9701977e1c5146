package confine

import "golang.org/x/sys/unix"

var refusedToServersHere = map[uint32]string{
	unix.SYS_CHOWN: "chown", unix.SYS_LCHOWN: "lchown", unix.SYS_IOPL: "iopl", unix.SYS_IOPERM: "ioperm", unix.SYS_MODIFY_LDT: "modify_ldt", unix.SYS_KEXEC_FILE_LOAD: "kexec_file_load",
}

var changesOfFilesHere = []uint32{unix.SYS_CHMOD}
