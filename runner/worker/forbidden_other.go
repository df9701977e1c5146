//go:build !unix

package worker

import "os"

// forbidden returns false. Workers do not start on this system.
func forbidden(*os.ProcessState) bool { return false }
