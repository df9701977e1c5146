package discovery

import "testing"

// SetUsersDir replaces /run/user for a test.
func SetUsersDir(t *testing.T, dir string) {
	t.Helper()
	before := usersDir
	usersDir = dir
	t.Cleanup(func() { usersDir = before })
}

// UserRuntimeDir is the folder in it for the user of this process.
func UserRuntimeDir() string { return userRuntimeDir() }
