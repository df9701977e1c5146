package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// ZoneOf returns the zone name in a value of TZ, or "" for a path, which POSIX also allows.
func ZoneOf(tz string) string {
	name := strings.TrimPrefix(tz, ":")
	if filepath.IsAbs(name) {
		return ""
	}
	return name
}

// ZoneOfHost returns the IANA name of the time zone of the machine whose files are below root, or
// "". Go does not report it, and scripts run in processes that cannot read files.
func ZoneOfHost(root string) string {
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

// lastKnown is the last name that known accepted. Every run asks for the zone, which hardly
// ever changes, and to load one reads a file.
var lastKnown atomic.Pointer[string]

func known(name string) bool {
	if last := lastKnown.Load(); last != nil && *last == name {
		return true
	}
	if _, err := time.LoadLocation(name); name == "" || err != nil {
		return false
	}
	lastKnown.Store(&name)
	return true
}
