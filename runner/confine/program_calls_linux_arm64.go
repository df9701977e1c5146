package confine

import "golang.org/x/sys/unix"

var (
	refusedHere                      = map[uint32]string{unix.SYS_KEXEC_FILE_LOAD: "kexec_file_load"}
	ownersHere, modesHere, timesHere map[uint32]string
)
