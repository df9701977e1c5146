package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/naming"
)

// ConnectingText is shown while servers connect.
const ConnectingText = "waiting for servers to connect"

// mostReason bounds the text about one server in a list, in characters.
const mostReason = 160

// MissingReasons describes several servers that are not connected, in one line.
func MissingReasons(servers []toolscript.MissingServer) string {
	var parts []string
	for _, s := range servers {
		part := s.Name + " (" + string(s.State)
		if reason := []rune(terminal.OneLine(s.Error)); len(reason) > mostReason {
			part += ": " + string(reason[:mostReason]) + "…"
		} else if len(reason) > 0 {
			part += ": " + string(reason)
		}
		parts = append(parts, part+")")
	}
	return strings.Join(parts, ", ") + "; see: toolscript list-servers"
}

// MissingReason describes a server that is not connected.
func MissingReason(s toolscript.MissingServer) string {
	text := fmt.Sprintf("%s is in state %s", s.Name, s.State)
	if s.Error != "" {
		text += ": " + s.Error
	}
	return text
}

// ListTime returns how long a command waits for unknown tools: until servers that the user names can be
// connected, and only briefly for all servers, because their tools may not be needed.
func ListTime(f toolscript.Filter) time.Duration {
	if len(f) > 0 {
		return actors.DefaultConnectTimeout
	}
	return actors.ListTime
}

// UnknownError returns the error of a name that selects nothing.
func UnknownError(u naming.UnknownEntry) error {
	if u.Server != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: errors.New(MissingReason(*u.Server))}
	}
	text := fmt.Sprintf("there is no server or tool %q", u.Entry)
	switch {
	case len(u.Suggestions) > 0:
		text += naming.DidYouMean(u.Suggestions)
	case len(u.Servers) > 0:
		text += "; the servers are: " + strings.Join(u.Servers, ", ") + "; see: toolscript list-tools"
	default:
		text += "; no servers are configured; " + config.AddServers
	}
	return &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New(text)}
}

// CheckServer returns an error if no server has the name.
func CheckServer(name string, servers []toolscript.ServerStatus) error {
	selection := naming.NewSelection(toolscript.Filter{name}, toolscript.Catalog{}, servers)
	for _, u := range selection.Unknown {
		return UnknownError(naming.UnknownEntry{Entry: u.Entry, Suggestions: u.Suggestions, Servers: u.Servers})
	}
	return nil
}

// ReportWait prints the servers that a gateway waited for.
func (a *App) ReportWait(names []string) {
	if len(names) > 0 {
		a.Say("toolscript: waited for %s to connect", strings.Join(names, ", "))
	}
}
