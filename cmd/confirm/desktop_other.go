//go:build !linux && !darwin

package confirm

import "github.com/toolscript/toolscript"

// Bus is "": this system has no session bus.
func Bus(func(string) (string, bool), bool) string { return "" }

// Desktop shows nothing: this system is not supported.
func Desktop(string) Show { return func(toolscript.Approval, string) {} }
