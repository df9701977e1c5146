//go:build !linux

package confirm

import "io"

// person is not supported on this system.
func person(int) (func(func(io.Writer)), error) {
	return nil, refused("this system does not say which terminal a process has")
}
