//go:build !linux

package confirm

// AtTerminal is not supported on this system.
func AtTerminal(int) (Show, error) {
	return nil, refused("this system does not say which terminal a process has")
}
