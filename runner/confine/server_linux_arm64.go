package confine

import "golang.org/x/sys/unix"

var refusedToServersHere = map[uint32]string{unix.SYS_KEXEC_FILE_LOAD: "kexec_file_load"}

var changesOfFilesHere []uint32
