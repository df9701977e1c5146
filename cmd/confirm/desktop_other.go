//go:build !linux && !darwin

package confirm

import "github.com/toolscript/toolscript"

// Bus is "": this system has no session bus.
func Bus(func(string) (string, bool), bool) string { return "" }

// Notify shows nothing, as Desktop.
func Notify(string) func(text string) { return func(string) {} }

// Desktop shows nothing: this system is not supported.
func Desktop(string) Show { return func(toolscript.Approval, string) {} }
