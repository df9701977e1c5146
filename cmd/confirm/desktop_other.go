//go:build !linux && !darwin

package confirm

import "github.com/toolscript/toolscript"

// Bus returns "": this system has no session bus.
func Bus(func(string) (string, bool), bool) string { return "" }

// Notify shows nothing, like Desktop.
func Notify(string) func(text string) { return func(string) {} }

// Desktop shows nothing: this system is not supported.
func Desktop(string) Show { return func(toolscript.Approval, string) {} }
