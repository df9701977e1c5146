package confine

import (
	"strconv"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// SuggestedProfile is the output of confine suggest with --json.
type SuggestedProfile struct {
	Server   string       `json:"server"`
	Confine  Profile      `json:"confine"`
	Reasons  []Reason     `json:"reasons"`
	Problems []Problem    `json:"problems"`
	Unread   int          `json:"unread,omitempty"` // system calls whose arguments could not be read
	More     int          `json:"more,omitempty"`   // uses that were not recorded, because there were too many
	Verified verification `json:"verified"`
	clients.Result
}

// verification is the result of a second use of the server, with the profile.
type verification struct {
	What    string    `json:"what"`              // none, start or script
	Error   string    `json:"error,omitempty"`   // why the server does not work; empty: it does
	Differs []string  `json:"differs,omitempty"` // why it is unknown whether the server works as while it was watched
	Refused []Problem `json:"refused"`
}

// show prints the profile, the reasons for its entries, and what is not in it.
func (o *confineSuggestOptions) show(r *SuggestedProfile) error {
	text, err := toolscript.PlainJSON(r.Confine)
	if err != nil {
		return err
	}
	if err := o.Print("\"confine\": %s", text); err != nil {
		return err
	}
	width := terminal.Columns(o.Stdout)
	if len(r.Reasons) > 0 {
		t := terminal.Table{Header: []string{"Kind", "Entry", "Used", "Example"}}
		for _, reason := range r.Reasons {
			used := strconv.Itoa(reason.Count)
			if reason.Count == 0 {
				used = "kept"
			}
			t.Add(reason.Kind, reason.Entry, used, reason.Example)
		}
		if err := t.Write(o.Stdout, width, nil); err != nil {
			return err
		}
	}
	o.list(r.Problems, func(p Problem) string {
		line := "note: "
		if p.Sensitive {
			line = "warning: "
		}
		line += r.Server + " " + p.What
		if p.Count > 1 {
			line += " (" + strconv.Itoa(p.Count) + " times)"
		}
		return line + ": " + p.Why
	})
	if r.Unread > 0 {
		o.Say("note: %d system calls could not be read; what they did may be missing", r.Unread)
	}
	if r.More > 0 {
		o.Say("warning: %s used more than can be recorded: %d uses of further files and addresses are missing", r.Server, r.More)
	}
	return nil
}

// mostListed is the most problems that are printed; --json has all.
const mostListed = 20

// list prints the first problems, which matter most, and the number of the others.
func (o *confineSuggestOptions) list(problems []Problem, line func(Problem) string) {
	for i, p := range problems {
		if i == mostListed {
			o.Say("… and %d more, which --json has", len(problems)-mostListed)
			return
		}
		o.Say("%s", line(p))
	}
}
