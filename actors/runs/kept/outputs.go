package kept

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

const (
	// MostOutput bounds one part of one run.
	MostOutput = 32 << 20
	// mostOutputs and mostTotal bound the folder. They are applied when a file is added, so the
	// folder can hold one file more for a moment.
	mostOutputs = 200
	mostTotal   = 512 << 20
)

// Part names one stored part of a run.
type Part string

// The parts of a run.
const (
	Output Part = "output" // the output beyond the limit: stdout and stderr in order
	Value  Part = "value"  // the value, as JSON
)

// Task returns the part with the result of a task, by the id of its call.
func Task(callID string) Part { return Part("task" + callID) }

// taskID matches ids of tasks. No other text becomes part of a path.
var taskID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,10}$`) })

// Outputs is a folder with the output and values of scripts that exceed their limits, for later reading. It has one
// file for each run and part. The zero Outputs keeps nothing. It is safe for concurrent use, even by several
// processes.
type Outputs struct{ Dir string }

// errNoFolder is the error of an Outputs without a folder.
var errNoFolder = errors.New("there is no data folder to store it in")

// runID matches ids of runs. No other text becomes part of a path.
var runID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^run_[0-9a-f]{16}$`) })

func (s Outputs) path(id string, part Part) string { return filepath.Join(s.Dir, id+"."+string(part)) }

// Create begins a part of a run.
func (s Outputs) Create(id string, part Part) (*File, error) {
	if err := s.prepare(id); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(s.path(id, part), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &File{to: f}, nil
}

// prepare makes room for a part of a run.
func (s Outputs) prepare(id string) error {
	if s.Dir == "" {
		return errNoFolder
	}
	if !runID().MatchString(id) {
		return fmt.Errorf("%.50q is not the id of a run", id)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	s.forget()
	return nil
}

// Put stores a whole part at once. Readers never see a partial part. Put drops bytes beyond
// MostOutput, as File.Write does.
func (s Outputs) Put(id string, part Part, data []byte) error {
	if err := s.prepare(id); err != nil {
		return err
	}
	if len(data) > MostOutput {
		data = append(data[:MostOutput:MostOutput], outputNotKept...)
	}
	return files.Write(s.path(id, part), data)
}

// Read returns the part of a run, or the range of it, that a query names. The error is NotFound if it is not stored.
func (s Outputs) Read(id string, q toolscript.OutputQuery) ([]byte, error) {
	part := Output
	if q.Value {
		part = Value
	}
	missing := &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf(
		"the %s of run %.50q is not stored: it was within its limit, or it has been deleted", part, id)}
	if q.Task != "" {
		part = Task(q.Task)
		missing.Err = fmt.Errorf("task %.20q of run %.50q has no stored result: it has not ended, it ended before its script, or the result has been deleted", q.Task, id)
		if !taskID().MatchString(q.Task) {
			return nil, missing
		}
	}
	if s.Dir == "" || !runID().MatchString(id) {
		return nil, missing
	}
	f, err := os.Open(s.path(id, part))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	most := int64(MostOutput + len(outputNotKept))
	if q.To > 0 {
		most = min(most, max(q.To-q.From, 0))
	}
	return io.ReadAll(io.NewSectionReader(f, max(q.From, 0), most))
}

// forget removes the oldest files of a folder that is full.
func (s Outputs) forget() {
	files.KeepNewest(s.Dir, func(name string) bool {
		id, _, _ := strings.Cut(name, ".")
		return runID().MatchString(id)
	}, mostOutputs-1, mostTotal-MostOutput)
}

// outputNotKept is written at the end of a part that was longer than MostOutput.
const outputNotKept = "\n[the rest is not stored: the limit is 32 MB per run]\n"

// File is a part that is being written. One goroutine uses it at a time.
type File struct {
	to   *os.File
	size int64
	full bool
}

// Write adds to the part. It drops bytes beyond MostOutput without an error, and then adds a
// note to the end of the part.
func (f *File) Write(data []byte) (int, error) {
	if f.full {
		return len(data), nil
	}
	kept := data[:min(int64(len(data)), MostOutput-f.size)]
	n, err := f.to.Write(kept)
	f.size += int64(n)
	if err != nil {
		f.full = true
		return n, err
	}
	if len(kept) < len(data) {
		f.full = true
		_, err = f.to.WriteString(outputNotKept)
	}
	return len(data), err
}

// Size returns the number of bytes kept so far.
func (f *File) Size() int64 { return f.size }

// Close closes the file of the part. The part can be read before that.
func (f *File) Close() error { return f.to.Close() }
