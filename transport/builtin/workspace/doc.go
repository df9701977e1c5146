// Package workspace provides the built-in tools that find, read, search and write the files of
// a workspace. A Search looks for a regular
// expression in them. A Set changes files: all of them or none, even if the program is killed
// meanwhile. Parse and Apply parse patches and apply them to texts; they open no files.
package workspace
