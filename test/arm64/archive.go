//go:build linux

package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// archive writes files in the format newc of cpio, from which the kernel makes its first files. It does not close out.
type archive struct {
	out   io.Writer
	count int
}

// add adds a file or a folder.
func (a *archive) add(name string, mode uint32, content []byte) error {
	const pad = "\x00\x00\x00"
	a.count++
	header := fmt.Sprintf("070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", a.count, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name)+1, 0)
	head := header + name + "\x00"
	if _, err := io.WriteString(a.out, head+pad[:-len(head)&3]); err != nil {
		return err
	}
	if _, err := a.out.Write(content); err != nil {
		return err
	}
	_, err := io.WriteString(a.out, pad[:-len(content)&3])
	return err
}

// Kinds of files, as in the mode of stat.
const (
	folderMode  = 0o040755
	programMode = 0o100755
	fileMode    = 0o100644
	linkMode    = 0o120777
)

// folder adds an empty folder and those that contain it.
func (a *archive) folder(name string) error {
	for at := range len(name) {
		if name[at] == '/' {
			if err := a.add(name[:at], folderMode, nil); err != nil {
				return err
			}
		}
	}
	return a.add(name, folderMode, nil)
}

// tree adds the files below a folder, if it exists, with their paths.
func (a *archive) tree(root string) error {
	if _, err := os.Stat(root); err != nil {
		return nil //nolint:nilerr // most packages have no test data
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := "source/" + filepath.ToSlash(path)
		if entry.IsDir() {
			return a.folder(name)
		}
		content, err := os.ReadFile(path) //nolint:gosec // a file of this module
		if err != nil {
			return err
		}
		return a.add(name, programMode, content)
	})
}

// end ends the archive.
func (a *archive) end() error {
	return a.add("TRAILER!!!", 0, []byte(strings.Repeat("\x00", 512)))
}
