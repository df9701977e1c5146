package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// closeStrange closes descriptors that this process was not meant to inherit:
// descriptors that the gateway itself inherited without close-on-exec. It runs before
// anything else is opened, except what the runtime polls with.
func closeStrange() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list the open descriptors: %w", err)
	}
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd <= lifelineFD {
			continue
		}
		target, err := os.Readlink(filepath.Join("/proc/self/fd", entry.Name()))
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") { // gone: it was that of the listing; or the runtime's
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close the inherited descriptor %d (%s): %w", fd, target, err)
		}
	}
	return nil
}
