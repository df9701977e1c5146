// Package hostile contains attempts of a restricted program, for tests, to reach what Landlock does
// not protect: other processes, properties of files, keys, namespaces and devices.
package hostile

// A Target is a process and the files that the attempts act on.
type Target struct {
	Victim int    // id of a process of the same user
	File   string // a file that the program may read but not write to
	Folder string // a folder that the program may write to
}
