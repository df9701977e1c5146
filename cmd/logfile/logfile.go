// Package logfile keeps the logs of gateways and hubs that run in the background.
package logfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

const (
	prefix    = "gateway-"
	hubPrefix = "hub-"
	suffix    = ".log"
	older     = ".old" // suffix of the file with the text from before the log was full

	// keep is how long the log of an ended gateway is kept.
	keep = 7 * 24 * time.Hour
	// maxSize bounds a file. Each gateway has at most two such files.
	maxSize = 8 << 20
)

// Folder is the path of the folder of logs.
type Folder string

// Create creates an empty log for a gateway, and deletes logs that are older than a week.
func (d Folder) Create() (*os.File, error) { return d.create(prefix) }

// CreateHub is like Create, for the log of a hub.
func (d Folder) CreateHub() (*os.File, error) { return d.create(hubPrefix) }

func (d Folder) create(prefix string) (*os.File, error) {
	if err := files.PrivateDir(string(d)); err != nil {
		return nil, err
	}
	d.prune(time.Now().Add(-keep))
	pattern := prefix + time.Now().UTC().Format("20060102T150405.000000000") + "-*" + suffix
	created, err := os.CreateTemp(string(d), pattern) // created with mode 0600
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(created.Name(), os.O_WRONLY|os.O_APPEND, 0) //nolint:gosec // G703: the file that was just created
	return f, errors.Join(err, created.Close())
}

// prune deletes logs that were last written before a time. Logs that cannot be deleted stay
// until the next time.
func (d Folder) prune(before time.Time) {
	for _, file := range d.files() {
		if info, err := file.Info(); err == nil && info.ModTime().Before(before) {
			_ = os.Remove(filepath.Join(string(d), file.Name()))
		}
	}
}

func (d Folder) files() (logs []fs.DirEntry) {
	all, err := os.ReadDir(string(d))
	if err != nil {
		return nil
	}
	for _, file := range all {
		name := strings.TrimSuffix(file.Name(), older)
		if (strings.HasPrefix(name, prefix) || strings.HasPrefix(name, hubPrefix)) && strings.HasSuffix(name, suffix) && file.Type().IsRegular() {
			logs = append(logs, file)
		}
	}
	return logs
}

// Newest returns the path of the newest log of a gateway, or "" if there is none.
func (d Folder) Newest() string { return d.newest(prefix) }

// NewestHub is like Newest, for logs of hubs.
func (d Folder) NewestHub() string { return d.newest(hubPrefix) }

func (d Folder) newest(prefix string) string {
	newest := ""
	for _, file := range d.files() { // sorted by name, which begins with the time
		if strings.HasPrefix(file.Name(), prefix) && strings.HasSuffix(file.Name(), suffix) {
			newest = filepath.Join(string(d), file.Name())
		}
	}
	return newest
}

// Open opens a log for reading: its older part, if there is one, and then the newer part.
func Open(path string) (io.ReadCloser, error) {
	newer, err := os.Open(path) //nolint:gosec // the path is the program's own
	if err != nil {
		return nil, err
	}
	old, err := os.Open(path + older) //nolint:gosec // as above
	if err != nil {
		return newer, nil //nolint:nilerr // there is seldom an older part
	}
	return &parts{io.MultiReader(old, newer), []io.Closer{old, newer}}, nil
}

type parts struct {
	io.Reader
	files []io.Closer
}

// Close closes all files.
func (p *parts) Close() (err error) {
	for _, f := range p.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Writer appends to a log and bounds its size. The file is also the standard error of the
// process, for the text of a crash; for this reason a full file is emptied, not replaced.
type Writer struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// NewWriter opens an existing log.
func NewWriter(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0) //nolint:gosec // the path is the program's own
	if err != nil {
		return nil, fmt.Errorf("log file: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &Writer{path: path, max: maxSize, file: f, size: info.Size()}, nil
}

// Path returns the path of the log.
func (w *Writer) Path() string { return w.path }

// Write implements io.Writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size > 0 && w.size+int64(len(p)) > w.max {
		w.rotate()
	}
	n, err := w.file.Write(p)
	w.size += int64(n)
	return n, err
}

// rotate moves the text to the older file. If there is no space for a copy, the text is
// lost, and logging continues.
func (w *Writer) rotate() {
	if text, err := os.ReadFile(w.path); err == nil {
		_ = files.Write(w.path+older, text)
	}
	if w.file.Truncate(0) == nil {
		w.size = 0
	}
}
