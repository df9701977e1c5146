//go:build unix

package script_test

import "os"

// exclusive opens a file. Other processes can use it.
func exclusive(name string) (release func(), err error) {
	file, err := os.Open(name)
	return func() { _ = file.Close() }, err
}
