package worker

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// closeStrange closes descriptors that this process should not have inherited: those that the
// gateway itself inherited without close-on-exec. It runs before the process opens anything
// else, except the poller of the runtime.
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
		if err != nil || strings.HasPrefix(target, "anon_inode:[event") { // closed with the listing, or the runtime's poller
			continue
		}
		if err := unix.Close(fd); err != nil {
			return fmt.Errorf("close the inherited descriptor %d (%s): %w", fd, target, err)
		}
	}
	return nil
}
