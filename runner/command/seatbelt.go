package command

import (
	"fmt"
	"strconv"
	"strings"
)

// seatbeltProgram starts a program inside a profile of the macOS sandbox. Only this path
// counts: another program of the name could be in PATH.
const seatbeltProgram = "/usr/bin/sandbox-exec"

// filesName is the name of the part of the confinement that protects files.
const filesName = "files"

// seatbelt is the command line that starts a program inside a profile. Paths are
// parameters of the profile, so that no name of a folder can change its rules.
func (o order) seatbelt(path, temp string) (string, []string) {
	writable := append([]string{o.Root, temp}, o.Writable...)
	args := []string{seatbeltProgram, "-p", seatbeltProfile(len(writable), o.Network)}
	for i, folder := range writable {
		args = append(args, "-D", "WRITABLE_"+strconv.Itoa(i)+"="+folder)
	}
	args = append(args, "--", path)
	return seatbeltProgram, append(args, o.Args[1:]...)
}

// seatbeltProfile is a profile with a number of writable folders.
func seatbeltProfile(writable int, network bool) string {
	var b strings.Builder
	b.WriteString("(version 1)\n(allow default)\n(deny file-write*)\n(allow file-write*\n")
	for i := range writable {
		fmt.Fprintf(&b, "  (subpath (param \"WRITABLE_%d\"))\n", i)
	}
	b.WriteString("  (literal \"/dev/null\")\n  (literal \"/dev/zero\"))\n")
	b.WriteString("(deny signal)\n(allow signal (target same-sandbox))\n(deny appleevent-send)\n")
	if !network {
		b.WriteString("(deny network*)\n")
	}
	return b.String()
}
