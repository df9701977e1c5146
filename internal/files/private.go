package files

import (
	"fmt"
	"io/fs"
	"os"

	"github.com/toolscript/toolscript"
)

// PrivateDir creates a folder with mode 0700, and its parents, if the folder does not exist. It
// returns an error unless the user owns the folder and no other user can write to it. It
// never changes the mode of an existing folder.
func PrivateDir(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s is a symbolic link, which a private folder must not be", path)
	}
	if err := owned(path, info); err != nil {
		return err
	}
	if writableByOthers(info) {
		return fmt.Errorf("%s: others may write to it; run: chmod 700 %s", path, toolscript.ShellWord(path))
	}
	return nil
}

// CheckPrivateDir returns an error if the user does not own a folder or others can write to it. For a
// missing folder the error is fs.ErrNotExist.
func CheckPrivateDir(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", path)
	}
	if err := owned(path, info); err != nil {
		return err
	}
	if writableByOthers(info) {
		return fmt.Errorf("%s: others may write to it; run: chmod 700 %s", path, toolscript.ShellWord(path))
	}
	return nil
}

func writableByOthers(info fs.FileInfo) bool { return hasModes && info.Mode().Perm()&0o022 != 0 }

// CheckPrivate returns an error if the user does not own a file, or if others can read or write it.
func CheckPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	if err := owned(path, info); err != nil {
		return err
	}
	if hasModes && info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("others may read or write %s; run: chmod 600 %s", path, toolscript.ShellWord(path))
	}
	return nil
}
