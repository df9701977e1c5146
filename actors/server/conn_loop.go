package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
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
	previous   <-chan struct{} // closed when the connection before this one has ended; nil if that does not matter
}

// keep dials and returns when the connection or online has ended.
func (k *connLoop) keep(online context.Context) {
	k.awaitPrevious(online)
	started, err := k.begin(online)
	if err != nil {
		return
	}
	defer started()
	ctx, cancel := context.WithTimeout(online, k.ConnectTimeout)
	defer cancel()
	stuck := time.AfterFunc(k.ConnectTimeout+hangUpTime, func() { // a Dial may ignore its context
		k.lost(fmt.Errorf("no connection within %s", k.ConnectTimeout), nil)
	})
	defer stuck.Stop()

	conn, err := k.Dial(ctx, k.Name, k.Config, k.events())
	if err != nil {
		k.lost(k.timely(ctx, err), dialStderr(err))
		return
	}
	started()
	defer k.close(conn)
	tools, err := conn.ListTools(ctx)
	if err != nil {
		k.lost(k.timely(ctx, fmt.Errorf("list its tools: %w", err)), conn.Stderr())
		return
	}
	stuck.Stop()
	info := conn.Info()
	k.post(connected{k.generation, conn, info, tools, k.examine(info.Instructions, tools)})
	select {
	case <-conn.Lost():
		k.lost(conn.Err(), conn.Stderr())
	case <-online.Done():
	}
}

// awaitPrevious lets a restarted server end before it starts again. A dial that ignores
// its context does not delay the next one for longer than hangUpTime.
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

// begin waits for a free start slot. Only stdio servers need one.
func (k *connLoop) begin(online context.Context) (started func(), err error) {
	if k.Config.Type != mcpclient.Stdio {
		return func() {}, nil
	}
	return k.Starts.begin(online)
}

func (k *connLoop) events() mcpclient.Events {
	changed := listChanged{k.generation}
	return mcpclient.Events{
		ToolsChanged: func() { k.post(changed) },
		Elicit:       k.elicit,
		Log:          k.log.logMessage,
	}
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
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Timeout, Server: k.Name, Err: fmt.Errorf(
		"not connected within %s: %s", k.ConnectTimeout, reason(err))}
}

// dialStderr returns the standard error of a server that could not be dialled.
func dialStderr(err error) []string {
	var failed *mcpclient.DialError
	if errors.As(err, &failed) {
		return failed.Stderr
	}
	return nil
}
