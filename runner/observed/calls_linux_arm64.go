package observed

import "golang.org/x/sys/unix"

// legacy returns the calls with a newer variant that this architecture has too. The C library renames files with this one.
func legacy() map[uint32]systemCall {
	return map[uint32]systemCall{
		unix.SYS_RENAMEAT: {name: "renameat", note: move(argumentPlace{0, 1}, argumentPlace{2, 3})},
	}
}
