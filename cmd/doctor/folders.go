package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

func (x *examination) cache() (c Cache) {
	var err error
	if c.Folder, err = x.Host.CacheFolder(); err == nil {
		err = files.PrivateDir(c.Folder)
	}
	if err == nil {
		c.Files, c.Bytes, err = Measure(c.Folder)
	}
	if err != nil {
		c.Error = err.Error()
	}
	return c
}

// Measure counts the files below a folder and their bytes. A missing folder counts as empty.
func Measure(folder string) (files int, size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files++
			size += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, size, err
}

// private reports a folder that other users can change. A missing folder is fine: it is
// created later.
func (x *examination) private(subject, folder string) {
	err := files.CheckPrivateDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !notFolder(err) {
		x.broken(subject, "chmod go-w "+toolscript.ShellWord(folder), "%v", err)
	}
}

// notFolder reports whether the path itself is wrong, such as a file in the place of a folder. The finding about the
// cache reports that.
func notFolder(err error) bool {
	var path *fs.PathError
	return errors.As(err, &path)
}

// secretFiles reports files that other users can read.
func (x *examination) secretFiles(subject, folder string) {
	files, err := os.ReadDir(folder)
	if err != nil || runtime.GOOS == "windows" { // on Windows, the access list of the profile decides
		return
	}
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&groupOrOthers != 0 {
			path := filepath.Join(folder, file.Name())
			x.broken(subject, "chmod 600 "+toolscript.ShellWord(path), "other users can read %s", path)
		}
	}
}

// unwritable reports a file that other users can change, because it names commands to start.
func (x *examination) unwritable(subject, path string) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&otherWriters != 0 {
		x.broken(subject, "chmod go-w "+toolscript.ShellWord(path), "other users can change %s, which names commands that toolscript starts", path)
	}
}
