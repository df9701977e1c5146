// Package hostile is what a restricted program tries in tests, to reach what Landlock does not
// protect: other processes, properties of files, keys, namespaces and devices.
package hostile

// A Target is what the attempts are directed at.
type Target struct {
	Victim int    // a process of the same user
	File   string // outside of the folders that the program may write to; it may read the file
	Folder string // that it may write to
}
