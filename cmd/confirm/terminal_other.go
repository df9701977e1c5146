//go:build !linux

package confirm

import "io"

// person returns an error: this system is not supported.
func person(int) (func(func(io.Writer)), error) {
	return nil, refused("this system does not say which terminal a process has")
}
