package discovery

import "testing"

// SetUsersDir replaces /run/user for a test.
func SetUsersDir(t *testing.T, dir string) {
	t.Helper()
	before := usersDir
	usersDir = dir
	t.Cleanup(func() { usersDir = before })
}

// UserRuntimeDir returns the runtime folder of this process's user, below the folder of SetUsersDir.
func UserRuntimeDir() string { return userRuntimeDir() }
