// Package timezone finds the IANA name of the machine's time zone. Go does not report it,
// and scripts run in processes that cannot read files.
package timezone

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Of returns the zone name in a value of TZ, or "" for a path, which POSIX also allows.
func Of(tz string) string {
	name := strings.TrimPrefix(tz, ":")
	if filepath.IsAbs(name) {
		return ""
	}
	return name
}

// Host returns the IANA name of the time zone of the machine whose files are below root, or
// "".
func Host(root string) string {
	if target, err := os.Readlink(filepath.Join(root, "etc/localtime")); err == nil {
		if _, name, found := strings.Cut(filepath.ToSlash(target), "/zoneinfo/"); found && known(name) {
			return name
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "etc/timezone")) //nolint:gosec // Debian's file, where localtime is a copy; root is ours
	if name := strings.TrimSpace(string(text)); err == nil && known(name) {
		return name
	}
	return ""
}

func known(name string) bool {
	_, err := time.LoadLocation(name)
	return name != "" && err == nil
}
