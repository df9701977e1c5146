package llama

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
	"github.com/toolscript/toolscript/transport/embedding"
)

const (
	// answerLimit is how long one text may take: 512 tokens are half a second of
	// work for a small model, and some seconds for the largest.
	answerLimit = 30 * time.Second
	// stderrGrace is how long what the process printed last is waited for.
	stderrGrace = time.Second
)

// Process is a running toolscript-llama with its model. It is safe for
// concurrent use; texts are embedded one at a time, in the order they came.
type Process struct {
	id   string
	dim  int
	form embedding.Form

	cmd     *exec.Cmd
	in, out *os.File
	stderr  said
	turn    chan struct{} // held by the text that is with the process

	done chan struct{}
	err  error // why the process is gone; set before done is closed
	kill sync.Once
}

// Start starts the program and waits for its model, until ctx ends.
func Start(ctx context.Context, o Options) (*Process, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	id, err := identify(ctx, o.Model)
	if err != nil {
		return nil, err
	}
	p := &Process{id: id, form: embedding.FormOf(id), turn: make(chan struct{}, 1), done: make(chan struct{})}
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

// maxDim is what fits into a frame.
const maxDim = 1 << 14

// launch starts the process. It inherits nothing: it finds its library by the
// one variable, and would take it from the current folder too, which is
// therefore the same.
func (p *Process) launch(o Options) error {
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return errors.Join(err, inRead.Close(), inWrite.Close())
	}
	p.in, p.out = inWrite, outRead
	p.cmd = exec.Command(o.Program, o.Model) //nolint:gosec,noctx // the user's own configuration; its end is Kill
	p.cmd.Dir = o.Library
	p.cmd.Env = environment(o.Library)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = inRead, outWrite, &p.stderr
	p.cmd.WaitDelay = stderrGrace
	err = p.cmd.Start()
	_, _ = inRead.Close(), outWrite.Close() // the child has its own
	if err != nil {
		return errors.Join(err, inWrite.Close(), outRead.Close())
	}
	go p.wait()
	return nil
}

// environment has llama compute on one thread. With its usual four, which wait
// for each other by spinning, a text took ten seconds on two busy processors,
// and 5 ms with one.
func environment(library string) []string {
	return []string{"LD_LIBRARY_PATH=" + library, "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1"}
}

func (p *Process) wait() {
	err := p.cmd.Wait()
	p.err = unavailable("%s has ended: %w", ProgramName, explain(err, p.stderr.String()))
	_ = p.in.Close() // nobody reads
	close(p.done)
}

// explain adds what the program said to how it ended.
func explain(err error, said string) error {
	if err == nil {
		err = errors.New("by itself")
	}
	if said == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, said)
}

// ID names the model and the content of its file.
func (p *Process) ID() string { return p.id }

// Dim is the length of a vector.
func (p *Process) Dim() int { return p.dim }

// PID is the process's number.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Done is closed when the process is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is why the process is gone, once it is.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}

// Kill ends the process at once. It may be called at any time, more than once.
func (p *Process) Kill() {
	p.kill.Do(func() { _ = p.cmd.Process.Kill() }) // an error means that it is gone
}

// Close ends the process and waits until it is gone.
func (p *Process) Close() {
	p.Kill()
	<-p.done
	p.turn <- struct{}{} // whoever reads has the end of the pipe before it
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

// EmbedQuery is Embed for one query, which some models want in another form
// than documents.
func (p *Process) EmbedQuery(ctx context.Context, query string) ([]float32, error) {
	return p.embed(ctx, p.form.Query+query)
}

// embed waits for its turn and for the answer. When ctx ends the text stays with
// the process, and the turn with the text.
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

// exchange sends a text and reads its vector. A process that does not answer, or
// not as agreed, is ended.
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
	if err := embedding.Normal(a.Vector, p.dim); err != nil {
		return nil, fmt.Errorf("the model gave %w", err)
	}
	return a.Vector, nil
}

// clean is what C and its tokenizer take: no NUL, which would end the text, and
// no broken UTF-8, which throws where nobody catches.
func clean(text string) string { return strings.ReplaceAll(embedding.Clip(text), "\x00", " ") }

// lost ends the process, if it has not ended, and says what went wrong with it.
func (p *Process) lost(err error) error {
	p.Kill()
	<-p.done
	if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) || errors.Is(err, os.ErrClosed) {
		return p.err // it ended first
	}
	return unavailable("%s: %w", ProgramName, explain(err, p.stderr.String()))
}
