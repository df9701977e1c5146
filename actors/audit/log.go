package audit

import (
	"cmp"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscript/toolscript"
)

const (
	// maxWaiting bounds the lines that wait, and maxBytes the arguments and results that
	// wait with them to be hashed.
	maxWaiting = 8192
	maxBytes   = 16 << 20
)

// Options configure the Log.
type Options struct {
	Chain   ChainOptions
	Session string // session of the gateway
	Logger  *slog.Logger
}

// Log takes the lines of a gateway. A nil Log drops everything. It is safe for concurrent
// use.
type Log struct {
	options Options
	pid     int

	mu      sync.Mutex
	waiting []entry
	spare   []entry // memory of the last batch
	bytes   int64   // size of waiting
	dropped int64   // lines dropped since the last line of TypeDrop
	wake    func()
	awake   bool // wake was called, and take was not

	writing sync.Mutex // held while writer is used
	writer  *ChainWriter
	text    []byte // memory of the lines
	counter counter

	written, lost atomic.Int64
	problem       atomic.Pointer[string] // the last error; nil after a success
	file          atomic.Pointer[string]
}

// NewLog returns a Log.
func NewLog(o Options) *Log {
	return &Log{options: o, pid: os.Getpid(), writer: NewChainWriter(o.Chain)}
}

// add adds a line. Data for which the queue has no room is hashed at once.
func (l *Log) add(e entry) {
	if l == nil {
		return
	}
	if e.line != nil {
		e.line.PID, e.line.Session = l.pid, cmp.Or(e.line.Session, l.options.Session)
	}
	if e.size() > maxBytes/4 {
		e.hash(nil)
	}
	l.mu.Lock()
	if l.bytes+e.size() > maxBytes {
		l.mu.Unlock()
		e.hash(nil)
		l.mu.Lock()
	}
	if len(l.waiting) >= maxWaiting {
		l.dropped++
		l.mu.Unlock()
		l.lost.Add(1)
		return
	}
	l.waiting = append(l.waiting, e)
	l.bytes += e.size()
	var wake func()
	if !l.awake && l.wake != nil {
		wake, l.awake = l.wake, true
	}
	l.mu.Unlock()
	if wake != nil {
		wake()
	}
}

// attend calls wake when lines wait, but only once until the next write.
func (l *Log) attend(wake func()) {
	l.mu.Lock()
	l.wake, l.awake = wake, len(l.waiting) > 0
	waiting := l.awake
	l.mu.Unlock()
	if waiting {
		wake()
	}
}

// take returns and removes the waiting lines.
func (l *Log) take() (batch []entry, dropped int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	batch, dropped = l.waiting, l.dropped
	l.waiting, l.spare, l.bytes, l.dropped, l.awake = l.spare, nil, 0, 0, false
	return batch, dropped
}

// putBack puts lines that could not be written before the waiting lines. It drops those without room.
func (l *Log) putBack(batch []entry, dropped int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = append(batch, l.waiting...)
	more := int64(max(len(l.waiting)-maxWaiting, 0))
	l.waiting = l.waiting[:int64(len(l.waiting))-more]
	l.dropped += dropped + more
	l.lost.Add(more)
	l.awake = true // the caller tries again
}

// write writes the waiting lines. If that fails, the lines wait again.
func (l *Log) write() error {
	l.writing.Lock()
	defer l.writing.Unlock()
	batch, dropped := l.take()
	if len(batch) == 0 && dropped == 0 {
		return nil
	}
	lines := make([][]byte, 0, len(batch)+1)
	text := l.text[:0]
	l.counter.left = mostCounted
	for i := range batch {
		from := len(text)
		text = l.encode(text, &batch[i], &l.counter)
		lines = append(lines, text[from:len(text):len(text)])
	}
	l.text = text
	l.counter.release()
	if dropped > 0 {
		why := "more lines waited than fit"
		if last := l.problem.Load(); last != nil {
			why = *last
		}
		lines = append(lines, marshal(&Line{Type: TypeDrop, Time: time.Now(), PID: l.pid, Session: l.options.Session, Count: dropped, Why: why}))
	}
	if err := l.writer.Append(lines, time.Now()); err != nil {
		for i := range batch { // take has let go of the bytes of the data
			batch[i].hash(nil)
		}
		text := err.Error()
		l.problem.Store(&text)
		l.putBack(batch, dropped)
		return err
	}
	l.reuse(batch)
	l.problem.Store(nil)
	l.written.Add(int64(len(lines)))
	file := l.writer.File()
	l.file.Store(&file)
	return nil
}

// reuse keeps the memory of a batch, unless the batch was unusually large.
func (l *Log) reuse(batch []entry) {
	if cap(batch) > maxWaiting/8 {
		return
	}
	clear(batch)
	l.mu.Lock()
	l.spare = batch[:0]
	l.mu.Unlock()
}

// Close writes the waiting lines and closes the files. Later lines are dropped.
func (l *Log) Close() {
	if l == nil {
		return
	}
	if err := l.write(); err != nil {
		batch, _ := l.take()
		l.options.Logger.Error("audit not complete", slog.String("error", err.Error()), slog.Int64("dropped", l.lost.Add(int64(len(batch)))))
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	l.writer.Close()
}

// Stats returns the state of the audit; nil without an audit.
func (l *Log) Stats() *toolscript.AuditStats {
	if l == nil {
		return nil
	}
	s := &toolscript.AuditStats{Dir: l.options.Chain.Dir, Written: l.written.Load(), Dropped: l.lost.Load()}
	if file := l.file.Load(); file != nil {
		s.File = *file
	}
	if problem := l.problem.Load(); problem != nil {
		s.Error = *problem
	}
	return s
}
