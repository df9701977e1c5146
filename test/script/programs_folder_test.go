//go:build !windows

package script_test

import "testing"

// withPrograms runs tests. testscript makes the programs.
type withPrograms struct{ *testing.M }
