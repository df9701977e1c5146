// Package zone tells the name of the machine's time zone, which Go knows but does
// not say: scripts run in processes that can read no file, and are told by name.
package zone

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Of is the name in the value of TZ. POSIX allows the path of a file there too,
// which is no name.
func Of(tz string) string {
	name := strings.TrimPrefix(tz, ":")
	if filepath.IsAbs(name) {
		return ""
	}
	return name
}

// Host is the zone of the machine whose files are below root, by its IANA name; ""
// when it does not tell one.
func Host(root string) string {
	if target, err := os.Readlink(filepath.Join(root, "etc/localtime")); err == nil {
		if _, name, found := strings.Cut(filepath.ToSlash(target), "/zoneinfo/"); found && known(name) {
			return name
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "etc/timezone")) //nolint:gosec // Debian's, where localtime is a copy; root is ours
	if name := strings.TrimSpace(string(text)); err == nil && known(name) {
		return name
	}
	return ""
}

func known(name string) bool {
	_, err := time.LoadLocation(name)
	return name != "" && err == nil
}
