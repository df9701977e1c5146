package embedding

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolscript/toolscript"
)

const (
	// answerLimit bounds the time for one text. A small model takes 0.5 s for 512
	// tokens, the largest models some seconds.
	answerLimit = 30 * time.Second
	// stderrGrace is how long to wait for the last output of the process.
	stderrGrace = time.Second
)

var _ Embedder = (*Process)(nil)

// Process is a running toolscript-llama with its model. It is safe for concurrent use.
// Texts are embedded one at a time, in order. The model is in a process of its own, because the
// library that reads it panics if its C library is missing, and aborts on a damaged model.
type Process struct {
	id   string
	dim  int
	form Form

	cmd     *exec.Cmd
	in, out *os.File
	stderr  said
	turn    chan struct{} // held while the process works on a text

	done chan struct{}
	err  error // the reason of the end; set before done is closed
	kill sync.Once
}

// Start starts the program and waits for its model, until ctx ends.
func Start(ctx context.Context, o LlamaOptions) (*Process, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	id, err := identify(ctx, o.Model)
	if err != nil {
		return nil, err
	}
	p := &Process{id: id, form: FormOf(id), turn: make(chan struct{}, 1), done: make(chan struct{})}
	if err := p.launch(o); err != nil {
		return nil, unavailable("start %s: %w", ProgramName, err)
	}
	stop := context.AfterFunc(ctx, p.Kill)
	var hello Hello
	err = ReadFrame(p.out, &hello)
	if err == nil && (hello.Dim < 1 || hello.Dim > maxDim) {
		err = fmt.Errorf("the model gives vectors of %d values", hello.Dim)
	}
	if !stop() {
		p.Close()
		return nil, toolscript.ContextError(ctx)
	}
	if err != nil {
		return nil, p.lost(err)
	}
	p.dim = hello.Dim
	return p, nil
}

// maxDim is the longest vector that fits into a frame.
const maxDim = 1 << 14

// launch starts the process with a minimal environment. One variable names the folder of the library. The program
// also searches its current folder, so launch sets that to the same folder.
func (p *Process) launch(o LlamaOptions) error {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inRead.Close(), inWrite.Close())
	}
	p.in, p.out = inWrite, outRead
	p.cmd = exec.Command(o.Program, o.Model) //nolint:gosec,noctx // the user's own configuration; Kill ends it
	p.cmd.Dir = o.Library
	p.cmd.Env = environment(o.Library)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inRead, outWrite, &p.stderr
	p.cmd.WaitDelay = stderrGrace
	err = p.cmd.Start()
	_, _ = inRead.Close(), outWrite.Close() // the child has its own copies
	if err != nil {
		return errors.Join(err, inWrite.Close(), outRead.Close())
	}
	go p.wait()
	return nil
}

// environment limits llama to one thread. Its default of four threads spin while they
// wait: on two busy CPUs a text took ten seconds, and 5 ms with one thread.
func environment(library string) []string {
	return []string{"LD_LIBRARY_PATH=" + library, "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1"}
}

func (p *Process) wait() {
	err := p.cmd.Wait()
	p.err = unavailable("%s has ended: %w", ProgramName, explain(err, p.stderr.String()))
	_ = p.in.Close() // the process does not read any more
	close(p.done)
}

// explain adds the output of the program to its exit status.
func explain(err error, said string) error {
	if err == nil {
		err = errors.New("by itself")
	}
	if said == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}

// ID returns an ID with the hash of the model file.
func (p *Process) ID() string { return p.id }

// Dim returns the length of a vector.
func (p *Process) Dim() int { return p.dim }

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done returns a channel that is closed when the process has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns the reason why the process ended, or nil while it runs.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Kill ends the process immediately. It may be called more than once.
func (p *Process) Kill() {
	p.kill.Do(func() { _ = p.cmd.Process.Kill() }) // an error means that the process has ended
}

// Close ends the process and waits until it has ended.
func (p *Process) Close() {
	p.Kill()
	<-p.done
	p.turn <- struct{}{} // wait until no exchange reads the pipe
	_ = p.out.Close()
	<-p.turn
}

// Embed returns a vector of length 1 for each document.
func (p *Process) Embed(ctx context.Context, documents []string) ([][]float32, error) {
	vectors := make([][]float32, len(documents))
	for i, text := range documents {
		var err error
		if vectors[i], err = p.embed(ctx, p.form.Document+text); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// EmbedQuery returns the vector of a query. Some models expect queries in a different
// form.
func (p *Process) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return p.embed(ctx, p.form.Query+query)
}

// embed waits for its turn and the answer. If ctx ends, embed returns, but the
// process completes the text and keeps the turn until then.
func (p *Process) embed(ctx context.Context, text string) ([]float32, error) {
	select {
	case p.turn <- struct{}{}:
	case <-p.done:
		return nil, p.err
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
	got := make(chan result, 1)
	go func() {
		vector, err := p.exchange(text)
		<-p.turn
		got <- result{vector, err}
	}()
	select {
	case r := <-got:
		return r.vector, r.err
	case <-ctx.Done():
		return nil, toolscript.ContextError(ctx)
	}
}

type result struct {
	vector []float32
	err    error
}

// exchange sends a text and reads its vector. It ends a process that does not answer
// or breaks the protocol.
func (p *Process) exchange(text string) ([]float32, error) {
	stuck := time.AfterFunc(answerLimit, p.Kill)
	var a Answer
	err := WriteFrame(p.in, Request{Text: clean(text)})
	if err == nil {
		err = ReadFrame(p.out, &a)
	}
	if !stuck.Stop() {
		err = fmt.Errorf("no answer within %s", answerLimit)
	}
	if err != nil {
		return nil, p.lost(err)
	}
	if a.Error != "" {
		return nil, fmt.Errorf("the model cannot embed a text: %s", a.Error)
	}
	if err := Normal(a.Vector, p.dim); err != nil {
		return nil, fmt.Errorf("the model gave %w", err)
	}
	return a.Vector, nil
}

// clean removes bytes that llama.cpp does not accept: NUL would end the text, and
// invalid UTF-8 throws an uncaught exception.
func clean(text string) string { return strings.ReplaceAll(Clip(text), "\x00", " ") }

// lost kills the process if it still runs, and returns the error.
func (p *Process) lost(err error) error {
	p.Kill()
	<-p.done
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return p.err // the process ended before
	}
	return unavailable("%s: %w", ProgramName, explain(err, p.stderr.String()))
}
