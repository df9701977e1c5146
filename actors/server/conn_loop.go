package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/proc"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/upstream"
)

// hangUpTime is the maximum time that a dial may need to clean up after its time
// limit. Ending a process takes up to five seconds.
const hangUpTime = 10 * time.Second

var errLost = errors.New("connection lost")

// connLoop owns one connection from its dial to its close. It runs in a separate
// goroutine, so that the connection is closed even if the actor has ended.
type connLoop struct {
	Options
	generation uint64
	post       func(message any)
	log        *serverLog
	previous   <-chan struct{} // closed when the previous connection has ended; nil: do not wait for it
	lastDial   <-chan struct{} // closed when the previous dial has ended; nil if there was none
	dialled    chan struct{}   // closed when this dial and all previous dials have ended
	finish     sync.Once       // closes dialled
	alone      bool            // no other server starts at the same time
}

// keep dials and returns when the connection or online has ended.
func (k *connLoop) keep(online context.Context) {
	k.awaitPrevious(online)
	if !isOver(k.lastDial) {
		k.lost(errDialling, nil)
		return
	}
	place, err := k.begin(online)
	if err != nil {
		return
	}
	defer place.end()
	ctx, end := context.WithCancelCause(online)
	defer end(nil)
	on := k.withSpoken(k.events())
	if k.Config.HasProcess() {
		on.Starting = k.watch(ctx, end, place).starting
	} else {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, k.startLimit(), &startError{limit: k.startLimit()})
		defer cancel()
	}
	watched := k.stuck(ctx)
	defer watched()

	conn, err := k.Dial(ctx, k.Name, k.Config, on)
	k.dialEnded()
	if err != nil {
		k.lost(k.timely(ctx, err), dialStderr(err))
		return
	}
	defer k.close(conn)
	tools, err := conn.ListTools(ctx)
	if err != nil {
		k.lost(k.timely(ctx, fmt.Errorf("list its tools: %w", err)), conn.Stderr())
		return
	}
	watched()
	info, review := conn.Info(), k.examine(conn.Info().Instructions, tools)
	end(nil)
	place.end()
	k.post(connected{k.generation, conn, info, tools, review})
	select {
	case <-conn.Lost():
		k.lost(withOutput(conn.Err(), conn.Stderr()), conn.Stderr())
	case <-online.Done():
	}
}

// errDialling is the reason why a restarted server does not dial.
var errDialling = errors.New("the last attempt to connect does not end; the next one begins after it")

// dialEnded records that no dial of this loop runs any more.
func (k *connLoop) dialEnded() {
	k.finish.Do(func() {
		if isOver(k.lastDial) {
			close(k.dialled)
			return
		}
		k.Work.Go(func() {
			<-k.lastDial
			close(k.dialled)
		}, func(error) {})
	})
}

// awaitPrevious lets a restarted server end before it starts again, for hangUpTime at most.
func (k *connLoop) awaitPrevious(online context.Context) {
	if k.previous == nil {
		return
	}
	late := time.NewTimer(hangUpTime)
	defer late.Stop()
	select {
	case <-k.previous:
	case <-late.C:
	case <-online.Done():
	}
}

// begin waits until the start of a process is admitted. Other servers need no admission.
func (k *connLoop) begin(online context.Context) (*admission, error) {
	if !k.Config.HasProcess() {
		return nil, nil //nolint:nilnil // no place is needed
	}
	wants := computing
	if proc.Manages(append([]string{k.Config.Command}, k.Config.Args...)) {
		wants = installing
	}
	return k.Starts.begin(online, wants, k.alone)
}

// watch ends the dial when its time is over.
func (k *connLoop) watch(ctx context.Context, end context.CancelCauseFunc, place *admission) *startWatch {
	w := &startWatch{
		limit: k.startLimit(), place: place, end: end, runs: make(chan struct{}),
		state: func(state toolscript.ServerState) { k.post(starting{k.generation, state}) },
		late:  func() { k.post(startLate{k.generation}) },
	}
	k.Work.Go(func() { w.run(ctx) }, func(err error) { end(err) })
	return w
}

// stuck treats a dial that ignores its time limit for hangUpTime as failed.
func (k *connLoop) stuck(ctx context.Context) (watched func()) {
	var mu sync.Mutex
	var late *time.Timer
	over := false
	unwatch := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if cause := context.Cause(ctx); !over && errors.Is(cause, context.DeadlineExceeded) {
			late = time.AfterFunc(hangUpTime, func() { k.lost(cause, nil) })
		}
	})
	return func() {
		unwatch()
		mu.Lock()
		defer mu.Unlock()
		if over = true; late != nil {
			late.Stop()
		}
	}
}

func (k *connLoop) events() upstream.Events {
	changed := listChanged{k.generation}
	on := upstream.Events{
		ToolsChanged: func() { k.post(changed) },
		Elicit:       k.elicit,
		Finished:     func(page string) { k.post(pageFinished{page}) },
		Log:          k.log.logMessage,
	}
	if k.Watches != nil {
		k.announce(&on)
	}
	return on
}

func (k *connLoop) lost(err error, stderr []string) {
	if err == nil {
		err = errLost
	}
	k.post(ended{k.generation, err, stderr})
}

func (k *connLoop) panicked(err error) { k.lost(err, nil) }

func (k *connLoop) close(conn Conn) {
	if err := conn.Close(); err != nil {
		k.Logger.Debug("connection closed", slog.String("error", err.Error()))
	}
}

// timely turns an error into a timeout if the time for connecting has passed.
func (k *connLoop) timely(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	if !errors.Is(cause, context.DeadlineExceeded) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Timeout, Server: k.Name, Err: fmt.Errorf("%w: %s", cause, toolscript.TextOf(err))}
}

// withOutput adds the line of standard error that says why a server has ended.
func withOutput(err error, stderr []string) error {
	if failed := (*mcpclient.DialError)(nil); err == nil || len(stderr) == 0 || errors.As(err, &failed) {
		return err
	}
	return &mcpclient.DialError{Err: err, Stderr: stderr}
}

// dialStderr returns the standard error of a server that could not be dialled.
func dialStderr(err error) []string {
	var failed *mcpclient.DialError
	if errors.As(err, &failed) {
		return failed.Stderr
	}
	return nil
}
