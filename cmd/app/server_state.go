package app

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/discovery"
)

// PaintState returns a function that colours the state in a column; nil without colours.
func (a *App) PaintState(at int) func(column int, cell string) string {
	if !a.Coloured(a.Stdout) {
		return nil
	}
	return func(column int, cell string) string {
		if column != at {
			return cell
		}
		return StateColour(cell) + cell + "\x1b[0m"
	}
}

// StateCell returns the state, with the seconds of a start, and whether the server is disabled or its tools
// are outdated.
func StateCell(s toolscript.ServerStatus) string {
	var notes []string
	if s.Start(time.Now()) != "" {
		notes = append(notes, fmt.Sprintf("%d s", int(time.Since(s.Since).Seconds())))
	}
	if s.Disabled {
		notes = append(notes, "disabled")
	} else if s.Stale {
		notes = append(notes, "stale")
	}
	if len(notes) == 0 {
		return string(s.State)
	}
	return fmt.Sprintf("%s (%s)", s.State, strings.Join(notes, ", "))
}

// StateColour returns green for servers that can be called, red for states in which the user must act, and
// yellow for states that change without the user.
func StateColour(cell string) string {
	state, _, _ := strings.Cut(cell, " ")
	switch toolscript.ServerState(state) {
	case toolscript.Ready, toolscript.Resting, discovery.Alive:
		return "\x1b[32m"
	case toolscript.Failed, toolscript.NeedsAuth, "no": // the first word of "no answer"
		return "\x1b[31m"
	default:
		return "\x1b[33m"
	}
}
