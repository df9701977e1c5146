package status

import (
	"io"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// TestMessagesOfActorsAreNoChange checks that status actors --watch prints nothing when only the messages are more,
// which looking at the actors causes.
func TestMessagesOfActorsAreNoChange(t *testing.T) {
	for _, n := range nouns {
		if n.kind != toolscript.LiveActor {
			continue
		}
		for _, form := range []terminal.Form{terminal.AsTable, terminal.AsJSON} {
			o := &statusOptions{App: &app.App{State: app.State{Stdout: io.Discard}}, noun: &n, form: form}
			s := sample("text").state
			before := o.nounAppearance(s)
			s.Actors[1].Messages++
			s.Actors[1].MailboxMs++
			more := o.nounAppearance(s)
			s.Actors[1].Restarts++
			again := o.nounAppearance(s)
			if before.text == more.text || before.key != more.key || more.key == again.key {
				t.Errorf("as %s: key %s, with more messages %s, with a restart %s", form, before.key, more.key, again.key)
			}
		}
	}
}
