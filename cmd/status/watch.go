package status

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/transport/api"
)

// follow shows the state until the command is interrupted, which is not an error. A terminal
// has a screen; other outputs get a text for each change.
func (o *statusOptions) follow(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	updates := Follow(ctx, func(context.Context) (*api.Client, error) { return o.current() })
	if !o.form.Structured() && hasScreen(o.App) {
		view := 0
		if o.noun != nil {
			view = o.noun.view
		}
		return RunScreen(ctx, ScreenOptions{View: view, Updates: updates, In: o.Stdin, Out: o.Stdout, Env: o.Env})
	}
	w := &statusWatch{statusOptions: o}
	for u := range updates {
		if err := w.take(ctx, u); err != nil {
			return err
		}
	}
	return nil
}

// current returns a client of the gateway that other commands would use now.
func (o *statusOptions) current() (*api.Client, error) {
	url, err := o.url()
	if err != nil {
		return nil, err
	}
	return api.NewClient(url), nil
}

// statusWatch is what status --watch knows and has shown.
type statusWatch struct {
	*statusOptions
	address string // address of the gateway; "" without a connection
	state   toolscript.Snapshot
	shown   bool   // something was shown
	last    string // key of what was shown last
}

// take applies an update, and shows the state if it may have changed.
func (w *statusWatch) take(ctx context.Context, u Update) error {
	if u.Lost != nil {
		w.address = ""
		shown := w.unknown(ctx, u.Lost)
		var code *app.Error
		select {
		case <-ctx.Done(): // the command ends, and the answer is only about that
			return nil
		default:
		}
		if shown.err != nil && !errors.As(shown.err, &code) {
			return shown.err
		}
		return w.show(shown)
	}
	address := "http://" + u.Gateway.Host()
	changed := address != w.address
	w.address = address
	for _, e := range u.Events {
		if err := w.state.Apply(e); err != nil {
			return err
		}
		changed = changed || w.shows(e.Type)
	}
	if !changed {
		return nil
	}
	return w.show(w.appearance())
}

// unseen are the events that do not change what status shows.
var unseen = []toolscript.LiveType{toolscript.LiveRun, toolscript.LiveCall, toolscript.LiveApproval, toolscript.LiveLog}

// shows reports whether an event may change what is shown.
func (w *statusWatch) shows(kind toolscript.LiveType) bool {
	if w.noun != nil {
		return kind == w.noun.kind || kind == toolscript.LiveSnapshot
	}
	return !slices.Contains(unseen, kind)
}

// unknown returns what is shown without a connection.
func (w *statusWatch) unknown(ctx context.Context, lost error) (shown appearance) {
	if w.noun == nil {
		return w.look(ctx)
	}
	if toolscript.KindOf(lost) == toolscript.Invalid { // the URL stays wrong
		return appearance{err: lost}
	}
	var b strings.Builder
	if w.form.Structured() {
		shown.key, shown.err = w.writeStatus(ctx, &b, "", lost)
	} else {
		state := "not running"
		if toolscript.KindOf(lost) != toolscript.Unavailable {
			state = "unknown" // the gateway has refused the request
		}
		fmt.Fprintf(&b, "Status: %s (%s)\n", state, w.Again(terminal.OneLine(lost.Error())))
	}
	shown.text = b.String()
	shown.key = shown.text
	return shown
}

// appearance returns what status shows of the state.
func (w *statusWatch) appearance() appearance {
	if w.noun != nil {
		return w.nounAppearance(w.state)
	}
	status := statusOf(w.state)
	if !w.form.Structured() {
		return appearance{text: w.runningText(w.address, status), key: w.runningKey(w.address, status)}
	}
	var b strings.Builder
	err := w.form.Write(&b, status)
	return appearance{text: b.String(), key: keyOf(status), err: err}
}

// statusOf returns the part of the status of a gateway that its events have.
func statusOf(s toolscript.Snapshot) toolscript.Status {
	status := toolscript.Status{
		Version: s.Gateway.Version, PID: s.Gateway.PID, UptimeSeconds: time.Since(s.Gateway.Started).Seconds(), Generation: s.Gateway.Generation,
		Servers: []toolscript.ServerStatus{}, Actors: []toolscript.ActorStatus{}, Attention: s.Attention, Warnings: s.Gateway.Warnings,
	}
	for _, server := range s.Servers {
		status.Servers = append(status.Servers, server.ServerStatus)
	}
	for _, actor := range s.Actors {
		status.Actors = append(status.Actors, actor.ActorStatus)
	}
	for _, index := range s.Index {
		if index.Search != nil {
			status.Search = *index.Search
		}
	}
	return status
}

// show writes a state if it differs from the last state.
func (w *statusWatch) show(a appearance) error {
	text := a.text
	switch {
	case w.shown && a.key == w.last:
		return nil
	case w.shown && !w.form.Structured():
		text = "\n" + text
	}
	w.shown, w.last = true, a.key
	_, err := io.WriteString(w.Stdout, text)
	return err
}

// keyOf returns the status as text, without what changes all the time.
func keyOf(status toolscript.Status) string {
	status.UptimeSeconds = 0
	status.Actors = slices.Clone(status.Actors)
	for i := range status.Actors {
		a := &status.Actors[i]
		a.Messages, a.Waiting, a.MailboxMs = 0, 0, 0
	}
	text, _ := json.Marshal(status) // it came as JSON
	return string(text)
}

// runningKey returns the text of a running gateway without its uptime.
func (o *statusOptions) runningKey(address string, status toolscript.Status) string {
	status.UptimeSeconds = 0
	return o.runningText(address, status)
}
