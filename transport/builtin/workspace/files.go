package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// readFull reads until the buffer is full or the file ends. n is larger than the buffer if
// the file is longer.
func readFull(f *os.File, to []byte) (n int, err error) {
	n, err = io.ReadFull(f, to)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	more, err := f.Read(make([]byte, 1))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return n + more, err
}

// create writes a new file and syncs it to disk. The umask reduces perm, unless exact is
// set.
func create(root *os.Root, path, text string, perm fs.FileMode, exact bool) error {
	f, err := root.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	if err == nil && exact {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// stamp identifies a version of a file.
type stamp struct {
	Exists bool        `json:"exists"`
	Size   int64       `json:"size,omitempty"`
	Time   int64       `json:"time,omitempty"` // modification time, in nanoseconds since 1970
	Mode   fs.FileMode `json:"mode,omitempty"`
}

func stampOf(info fs.FileInfo) stamp {
	if info == nil {
		return stamp{}
	}
	return stamp{true, info.Size(), info.ModTime().UnixNano(), info.Mode()}
}

// current returns the stamp of the file at a path, which is zero if there is no file.
func current(w *tool.Workspace, path string) (stamp, error) {
	info, err := w.Root.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, tool.Explain(path, err)
	}
	return stampOf(info), nil
}

// unchanged returns an error if the file at a path differs from the known version.
func unchanged(w *tool.Workspace, path string, known stamp) error {
	now, err := current(w, path)
	if err == nil && now != known {
		err = fmt.Errorf("%s was changed by another program meanwhile", tool.Quote(path))
	}
	return err
}
