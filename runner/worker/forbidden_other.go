//go:build !unix

package worker

import "os"

// forbidden reports nothing: workers do not start on this system.
func forbidden(*os.ProcessState) bool { return false }
