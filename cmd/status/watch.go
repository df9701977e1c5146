package status

import (
	"context"
	"encoding/json"
	"errors"
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
// shows it in place; other outputs get a text for each change.
func (o *statusOptions) follow(ctx context.Context) error {
	w := &statusWatch{statusOptions: o, screen: terminal.Is(o.Stdout) && o.Getenv("TERM") != "dumb"}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	updates := Follow(ctx, func(context.Context) (*api.Client, error) { return o.current() })
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		var err error
		select {
		case u, ok := <-updates:
			if !ok {
				return nil
			}
			err = w.take(ctx, u)
		case <-seconds.C:
			if w.screen && w.address != "" { // update the uptime of the gateway
				err = w.show(w.appearance())
			}
		case <-ctx.Done():
			return nil
		}
		if err != nil {
			return err
		}
	}
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
	screen  bool
	address string // address of the gateway; "" without a connection
	state   toolscript.Snapshot
	shown   bool   // something was shown
	last    string // key of what was shown last
}

// take applies an update, and shows the state if it may have changed.
func (w *statusWatch) take(ctx context.Context, u Update) error {
	if u.Lost != nil {
		w.address = ""
		shown := w.look(ctx)
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
		changed = changed || !slices.Contains(unseen, e.Type)
	}
	if !changed {
		return nil
	}
	return w.show(w.appearance())
}

// unseen are the events that do not change what status shows.
var unseen = []toolscript.LiveType{toolscript.LiveRun, toolscript.LiveCall, toolscript.LiveApproval, toolscript.LiveLog}

// appearance returns what status shows of the state.
func (w *statusWatch) appearance() appearance {
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

// show writes a state: on a screen over the last state, elsewhere only if it differs from the last state.
func (w *statusWatch) show(a appearance) error {
	text := a.text
	switch {
	case w.screen:
		text = inPlace(text, terminal.Rows(w.Stdout))
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

// inPlace returns text with the control sequences that write it over the last text: they clear the rest of
// each line and of the screen. Lines that do not fit on the screen are left out.
func inPlace(text string, height int) string {
	lines := strings.SplitAfter(text, "\n")
	if height > 1 && len(lines) > height {
		lines = lines[:height-1]
	}
	return "\x1b[H" + strings.ReplaceAll(strings.Join(lines, ""), "\n", "\x1b[K\n") + "\x1b[J"
}
