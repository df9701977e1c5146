package kept

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// RecordingVersion is the version of the format. Recordings of other versions cannot be read.
const RecordingVersion = 1

// MostRecording bounds arguments, answers and standard input of one run together.
const MostRecording = 64 << 20

// Recording is one recorded run. It has the job of the sandbox and all inputs of the script, so that the script can
// run again without servers.
type Recording struct {
	Version   int       `json:"version"`
	StartedAt time.Time `json:"startedAt"`
	Code      string    `json:"code"` // as the user wrote it

	Modules []toolscript.ScriptModule `json:"modules,omitempty"` // modules that the script could import

	Job     runner.Job     `json:"job"` // the input that the script has read
	Calls   []RecordedCall `json:"calls"`
	Stdin   []byte         `json:"stdin,omitempty"` // what the script read
	Outcome runner.Outcome `json:"outcome"`
	Cut     bool           `json:"cut,omitempty"` // the data exceeded MostRecording: the last answers are missing
}

// RecordedCall is one call, in the order in which the script made them.
type RecordedCall struct {
	ID      string                `json:"id"` // id of the tool
	Args    json.RawMessage       `json:"args"`
	Value   json.RawMessage       `json:"value,omitempty"`
	Content json.RawMessage       `json:"content,omitempty"` // see runner.Answer
	Failure *toolscript.ToolError `json:"failure,omitempty"`
	End     int                   `json:"end,omitempty"`   // place in the order of ends, from 1; 0: the call did not end
	Begun   int                   `json:"begun,omitempty"` // number of calls that had begun when this call ended
}

// Recorder records what passes between a sandbox and its host.
type Recorder struct {
	runner.Host

	mu    sync.Mutex
	bytes int
	ended int
	made  Recording
}

// NewRecorder returns a Recorder of a run that passes everything to host.
func NewRecorder(src runner.Source, job runner.Job, host runner.Host) *Recorder {
	job.Env = nil
	return &Recorder{Host: host, made: Recording{Version: RecordingVersion, StartedAt: time.Now(), Code: src.Code, Modules: src.Modules, Job: job, Calls: []RecordedCall{}}}
}

// Begin implements runner.Host.
func (r *Recorder) Begin(c runner.Call, done func(runner.Answer)) {
	r.mu.Lock()
	at := len(r.made.Calls)
	kept := r.room(len(c.Args))
	if kept {
		r.made.Calls = append(r.made.Calls, RecordedCall{ID: c.ID, Args: c.Args})
	}
	r.mu.Unlock()
	r.Host.Begin(c, func(a runner.Answer) {
		if kept {
			r.end(at, a)
		}
		done(a)
	})
}

func (r *Recorder) end(at int, a runner.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.room(len(a.Value) + len(a.Content)) {
		return
	}
	r.ended++
	c := &r.made.Calls[at]
	c.Value, c.Content, c.Failure, c.End, c.Begun = a.Value, a.Content, a.Failure, r.ended, len(r.made.Calls)
}

// room counts n bytes and reports whether they are kept. After the first bytes that do not fit,
// nothing is kept. The caller holds mu.
func (r *Recorder) room(n int) bool {
	r.bytes += n
	r.made.Cut = r.made.Cut || r.bytes > MostRecording
	return !r.made.Cut
}

// ReadStdin implements runner.Host.
func (r *Recorder) ReadStdin(ctx context.Context) ([]byte, error) {
	piece, err := r.Host.ReadStdin(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.room(len(piece)) {
		r.made.Stdin = append(r.made.Stdin, piece...)
	}
	return piece, err
}

// Finish returns the recording of a run that has ended with outcome.
func (r *Recorder) Finish(outcome runner.Outcome) Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	made := r.made
	made.Calls = append([]RecordedCall{}, made.Calls...)
	made.Outcome = outcome
	return made
}
