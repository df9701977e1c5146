package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// Lend lends a sandbox of this machine. The borrower must call giveBack; a broken sandbox is replaced.
type Lend func(context.Context) (sandbox runner.Runner, giveBack func(broken bool), err error)

// Options configure a Server.
type Options struct {
	Runners int    // maximal number of concurrent runs
	Host    string // name of this machine, for errors and lists
	Version string // version of the program
	Lend    Lend
	Log     *slog.Logger
}

// Server runs scripts of gateways on this machine.
type Server struct {
	Options
	nc      *nats.Conn
	service micro.Service
	free    chan struct{} // has one value for each run that may begin
	ctx     context.Context
	stop    context.CancelFunc
	closing sync.Mutex     // held while a run is added to runs, and while Close cancels ctx
	runs    sync.WaitGroup // runs that have a place
	begun   atomic.Uint64
	failed  atomic.Uint64
	lost    chan struct{} // see Lost
}

// Stats is the data of the endpoint in the statistics of the microservice.
type Stats struct {
	Host    string `json:"host"`
	Runners int    `json:"runners"`
	Busy    int    `json:"busy"`
	Runs    uint64 `json:"runs"`   // number of runs that have begun
	Failed  uint64 `json:"failed"` // number of runs whose sandbox failed
}

// Join connects to a cluster with connect and joins its queue group of runners. It does not
// reconnect after the connection is lost, because the runs that used it have ended. See Lost.
func Join(ctx context.Context, connect func(context.Context, ...nats.Option) (*nats.Conn, error), o Options) (*Server, error) {
	s := &Server{Options: o, free: make(chan struct{}, o.Runners), lost: make(chan struct{})}
	for range o.Runners {
		s.free <- struct{}{}
	}
	var err error
	closed := sync.OnceFunc(func() { close(s.lost) })
	s.nc, err = connect(ctx, nats.Name("toolscript runner "+o.Host), nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { closed() }))
	if err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if err = s.join(); err == nil {
		return s, nil
	}
	s.stop()
	s.nc.Close()
	if errors.Is(err, nats.ErrPermissionViolation) {
		return nil, &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			"the credentials do not allow this hub to run scripts of gateways: %w; see: toolscript fleet permissions --role runner", err)}
	}
	return nil, fmt.Errorf("join the fleet: %w", err)
}

func (s *Server) join() (err error) {
	s.service, err = micro.AddService(s.nc, micro.Config{
		Name: serviceName, Version: "1.0.0", Description: "Sandboxes for scripts of gateways",
		Metadata:     map[string]string{"host": s.Host, "version": s.Version, "protocol": fmt.Sprint(protocol)},
		StatsHandler: func(*micro.Endpoint) any { return s.Stats() },
	})
	if err == nil {
		err = s.service.AddEndpoint("take", micro.HandlerFunc(s.take), micro.WithEndpointSubject(takeSubject), micro.WithEndpointQueueGroup(queue))
	}
	if err == nil {
		err = s.nc.Flush() // now the NATS server knows the runner
	}
	return cmp.Or(err, s.nc.LastError())
}

// Lost returns a channel that is closed when the connection has ended. Then the caller must call Close.
func (s *Server) Lost() <-chan struct{} { return s.lost }

// Stats returns the current numbers of this runner.
func (s *Server) Stats() Stats {
	return Stats{Host: s.Host, Runners: s.Runners, Busy: s.Runners - len(s.free), Runs: s.begun.Load(), Failed: s.failed.Load()}
}

// Close leaves the queue group, cancels the runs, and waits for their end.
func (s *Server) Close() {
	_ = s.service.Stop() // its connection ends
	s.closing.Lock()
	s.stop()
	s.closing.Unlock()
	s.runs.Wait()
	_ = s.nc.Flush() // send the last answers; an error means that the connection is lost
	s.nc.Close()
}

// take handles a request: it reserves a place for a run and answers.
func (s *Server) take(r micro.Request) {
	var t take
	if json.Unmarshal(r.Data(), &t) != nil || !validGateway(t.Gateway) || !validID(t.Run) {
		s.answer(r, taken{Error: "the request cannot be read"})
		return
	}
	if t.Protocol != protocol {
		s.answer(r, taken{Error: fmt.Sprintf("it has protocol %d of runs, the gateway %d; update the older program", protocol, t.Protocol)})
		return
	}
	select {
	case <-s.free:
	default:
		s.answer(r, taken{Busy: true})
		return
	}
	link, err := open(s.nc, downSubject(t.Gateway, t.Run), upSubject(t.Gateway, t.Run))
	if err == nil && !s.add() {
		link.close()
		err = errClosed
	}
	if err != nil {
		s.free <- struct{}{}
		s.answer(r, taken{Error: "the runner is ending"})
		return
	}
	go link.watch()
	go func() {
		defer s.runs.Done()
		s.serve(link)
		link.close()
		s.free <- struct{}{}
	}()
	s.answer(r, taken{})
}

// add adds a run to runs. It returns false after Close.
func (s *Server) add() bool {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.ctx.Err() != nil {
		return false
	}
	s.runs.Add(1)
	return true
}

func (s *Server) answer(r micro.Request, a taken) {
	a.Host = s.Host
	if err := r.RespondJSON(a); err != nil {
		s.Log.Warn("a gateway got no answer", slog.String("error", err.Error()))
	}
}

// serve waits for the job of a reserved place and runs it.
func (s *Server) serve(link *stream) {
	select {
	case f := <-link.frames():
		link.took()
		var j job
		if f.kind != frameJob || json.Unmarshal(f.payload, &j) != nil {
			return
		}
		s.begun.Add(1)
		s.work(link, j)
	case <-link.done:
	case <-time.After(reserve):
	case <-s.ctx.Done():
	}
}

// work runs a job and sends its outcome.
func (s *Server) work(link *stream, j job) {
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	h := &host{link: link, calls: map[string]func(runner.Answer){}, cancel: cancel, clock: &runner.Clock{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		h.receive(ctx)
	}()
	outcome, err := s.run(ctx, j, h)
	cancel(errors.New("the run has ended"))
	<-read
	e := end{Outcome: outcome, Value: outcome.Value != nil}
	e.Outcome.Value = nil
	switch {
	case s.ctx.Err() != nil && outcome.Err != nil && outcome.Err.Code == toolscript.Cancelled:
		e.Failed = "its runner was stopped"
	case err != nil:
		s.failed.Add(1)
		e.Failed = err.Error()
	}
	head, err := join(e)
	if err != nil {
		head, _ = join(end{Failed: "the end of the run has no JSON form: " + err.Error()})
		outcome.Value = nil
	}
	link.send(frameEnd, head, outcome.Value)
	select {
	case <-link.done: // the gateway has closed the stream
	case <-time.After(endTime):
	}
}

// run runs the job in a sandbox of this machine.
func (s *Server) run(ctx context.Context, j job, h *host) (runner.Outcome, error) {
	sandbox, giveBack, err := s.Lend(ctx)
	if err != nil {
		return runner.Outcome{}, fmt.Errorf("no sandbox: %w", err)
	}
	work := j.Job
	work.Names, work.Idle, work.Stdin, work.Clock = j.Names, j.Idle, false, h.clock
	outcome, err := sandbox.Run(ctx, work, h)
	giveBack(err != nil)
	if outcome.Err != nil {
		err = nil // the outcome says how the run ended
	}
	return outcome, err
}
