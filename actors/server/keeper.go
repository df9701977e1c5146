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

// hangUpTime is how long a dial whose time is over may take to end what it has
// started: a process is asked, then told, then killed, within five seconds.
const hangUpTime = 10 * time.Second

var errLost = errors.New("connection lost")

// keeper keeps one connection from its dial to its close, on a goroutine of its
// own, so that the connection is closed even if the actor has ended meanwhile.
type keeper struct {
	Options
	generation uint64
	post       func(message any)
}

// keep ends when the connection does, or with online.
func (k *keeper) keep(online context.Context) {
	started, err := k.begin(online)
	if err != nil {
		return
	}
	defer started()
	ctx, cancel := context.WithTimeout(online, k.ConnectTimeout)
	defer cancel()
	stuck := time.AfterFunc(k.ConnectTimeout+hangUpTime, func() { // a Dial may not keep to its context
		k.lost(fmt.Errorf("no connection within %s", k.ConnectTimeout), nil)
	})
	defer stuck.Stop()

	conn, err := k.Dial(ctx, k.Name, k.Config, k.events())
	if err != nil {
		k.lost(k.timely(ctx, err), lastWords(err))
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
	k.post(connected{k.generation, conn, conn.Info(), tools})
	select {
	case <-conn.Lost():
		k.lost(conn.Err(), conn.Stderr())
	case <-online.Done():
	}
}

// begin waits until the server may start. What is not our process starts at once.
func (k *keeper) begin(online context.Context) (started func(), err error) {
	if k.Config.Type != mcpclient.Stdio {
		return func() {}, nil
	}
	return k.Starts.begin(online)
}

func (k *keeper) events() mcpclient.Events {
	changed := listChanged{k.generation}
	return mcpclient.Events{
		ToolsChanged: func() { k.post(changed) },
		Elicit:       k.elicit,
		Log: func(level slog.Level, message string) {
			k.Logger.Log(context.Background(), level, "server says", slog.String("text", message))
		},
	}
}

func (k *keeper) lost(err error, stderr []string) {
	if err == nil {
		err = errLost
	}
	k.post(ended{k.generation, err, stderr})
}

func (k *keeper) panicked(err error) { k.lost(err, nil) }

func (k *keeper) close(conn Conn) {
	if err := conn.Close(); err != nil {
		k.Logger.Debug("connection closed", slog.String("error", err.Error()))
	}
}

// timely adds to an error that it came of the time for connecting being over.
func (k *keeper) timely(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	return &toolscript.Error{Kind: toolscript.Timeout, Server: k.Name, Err: fmt.Errorf(
		"not connected within %s: %s", k.ConnectTimeout, reason(err))}
}

// lastWords are what a server that could not be dialled wrote to its standard
// error.
func lastWords(err error) []string {
	var failed *mcpclient.DialError
	if errors.As(err, &failed) {
		return failed.Stderr
	}
	return nil
}
