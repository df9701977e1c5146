package confine

import "golang.org/x/sys/unix"

var (
	refusedHere = map[uint32]string{unix.SYS_IOPL: "iopl", unix.SYS_IOPERM: "ioperm", unix.SYS_MODIFY_LDT: "modify_ldt", unix.SYS_KEXEC_FILE_LOAD: "kexec_file_load"}
	ownersHere  = map[uint32]string{unix.SYS_CHOWN: "chown", unix.SYS_LCHOWN: "lchown"}
	modesHere   = map[uint32]string{unix.SYS_CHMOD: "chmod"}
	timesHere   = map[uint32]string{unix.SYS_UTIME: "utime", unix.SYS_UTIMES: "utimes", unix.SYS_FUTIMESAT: "futimesat"}
)
