package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program starts another program inside a profile. The path is fixed, because PATH could
// contain another program with this name.
const program = "/usr/bin/sandbox-exec"

// SeatbeltAccess lists what a program may access.
type SeatbeltAccess struct {
	Read    []string // absolute files and folders to read and to execute from; nil means all
	Write   []string // absolute files and folders to read and write
	Network bool     // the whole network
	Port    uint16   // TCP port of this machine to connect to, without Network; 0: none
}

// SeatbeltMissing returns why this system has no sandbox, or "" if it has one.
func SeatbeltMissing() string {
	if _, err := os.Stat(program); err != nil {
		return "this system has no " + program
	}
	return ""
}

// Wrap returns the command line that starts the program at path inside the profile of a. args
// are the arguments after its name. Paths are parameters of the profile, so the name of a
// folder cannot change its rules.
func (a SeatbeltAccess) Wrap(path string, args []string) []string {
	out := []string{program, "-p", a.profile()}
	for i, p := range a.Write {
		out = append(out, "-D", writable(i)+"="+real(p))
	}
	for i, p := range a.Read {
		out = append(out, "-D", readable(i)+"="+real(p))
	}
	return append(append(out, "--", path), args...)
}

// real resolves the links of a path, because a profile does not follow links.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return path
}

func writable(i int) string { return "WRITABLE_" + strconv.Itoa(i) }
func readable(i int) string { return "READABLE_" + strconv.Itoa(i) }

// profile returns the text of the profile. The last rule that matches an action decides.
func (a SeatbeltAccess) profile() string {
	var b strings.Builder
	rule := func(operation string, filters ...string) {
		if len(filters) == 0 {
			return // a rule without filters would allow everything
		}
		fmt.Fprintf(&b, "(allow %s\n  %s)\n", operation, strings.Join(filters, "\n  "))
	}
	var write, read []string
	for i := range a.Write {
		write = append(write, fmt.Sprintf("(subpath (param %q))", writable(i)))
	}
	for i := range a.Read {
		read = append(read, fmt.Sprintf("(subpath (param %q))", readable(i)))
	}
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n")
	rule("file-write*", append(write, `(literal "/dev/null")`, `(literal "/dev/zero")`)...)
	b.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n(deny appleevent-send)\n")
	if a.Read != nil {
		all := slices.Concat(read, write)
		b.WriteString("(deny file-read-data)\n")
		rule("file-read-data", append(all, `(literal "/")`, `(literal "/dev/null")`, `(literal "/dev/zero")`)...)
		b.WriteString("(deny process-exec*)\n")
		rule("process-exec*", all...)
		// Deny services that give any program access to files or keys of the user.
		b.WriteString("(deny lsopen)\n(deny mach-lookup\n  (global-name \"com.apple.SecurityServer\")\n  (global-name \"com.apple.securityd.xpc\")\n  (global-name \"com.apple.pasteboard.1\"))\n")
		b.WriteString("(deny process-info*)\n(allow process-info* (target same-sandbox))\n")
	}
	if !a.Network {
		b.WriteString("(deny network*)\n")
		if a.Port != 0 {
			fmt.Fprintf(&b, "(allow network-outbound (remote tcp \"localhost:%d\"))\n", a.Port)
		}
	}
	return b.String()
}
