// Package confirm shows a person calls that wait for an approval, with the codes that approve
// them. The code must not reach the program that has made the call: it is never in a log, an
// argument or a variable. The package also has the part of a login that happens in the user's
// browser: it opens the page and receives the redirect. It finds out whether an agent has
// started a process: such a process never counts as a person, even on a terminal.
package confirm

import (
	"fmt"
	"io"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// Show shows an approval request with its code.
type Show func(a toolscript.Approval, code string)

// Terminal shows requests at a terminal.
func Terminal(w io.Writer) Show {
	return func(a toolscript.Approval, code string) {
		_, _ = fmt.Fprintf(w, "%s  code: %s   (%s, within %s)\n", terminal.ApprovalText(a), code, command(a), left(a)) // a request that is not seen is not answered
	}
}

// AtTerminal shows requests at the controlling terminal of a process of this user. It
// refuses a process that an agent has started.
func AtTerminal(pid int) (Show, error) {
	write, err := person(pid)
	if err != nil {
		return nil, err
	}
	return func(a toolscript.Approval, code string) {
		write(func(w io.Writer) { Terminal(w)(a, code) })
	}, nil
}

// shortArgs returns the arguments for a notification, which has room for a few lines. If
// they are cut, it adds the command that shows all.
func shortArgs(a toolscript.Approval) string {
	short := approval.CutShort(a.Args)
	if short != a.Args || a.Cut > 0 {
		short += "\nAll arguments: " + toolscript.Command("approvals", "show", a.ID)
	}
	return short
}

// command returns the command that answers a request.
func command(a toolscript.Approval) string { return toolscript.Command("approvals", "allow", a.ID) }

func left(a toolscript.Approval) time.Duration { return a.Expires.Sub(a.Since).Round(time.Second) }

func refused(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf("nothing is shown: "+format, args...)}
}
