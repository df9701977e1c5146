//go:build !linux

package confine

import (
	"runtime"

	"github.com/toolscript/toolscript"
)

// Landlock reports that this system has no Landlock.
func Landlock() (toolscript.Confinement, error) {
	return toolscript.Confinement{Name: landlockName, Detail: "only Linux has Landlock; this is " + runtime.GOOS}, nil
}

// Seccomp reports that this system has no seccomp.
func Seccomp() (toolscript.Confinement, error) {
	return toolscript.Confinement{Name: seccompName, Detail: "only Linux filters system calls; this is " + runtime.GOOS}, nil
}

// Kernel reports that this system has no Landlock.
func Kernel() toolscript.Confinement {
	part, _ := Landlock() // never an error
	return part
}
