package confine

import "golang.org/x/sys/unix"

var refusedToServersHere = []uint32{unix.SYS_KEXEC_FILE_LOAD}

var changesOfFilesHere []uint32
