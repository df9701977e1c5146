package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/exec"
)

// toolWork is the work of a server in one session.
type toolWork struct {
	tools int               // number of tools that the server listed
	calls map[string][2]int // calls of the script, by tool: how many failed, and how many succeeded
	value json.RawMessage   // value that the script returned
}

// compare returns in fails why the server does not work as before, and in differs why it is unknown whether
// it does. again is its work under the profile. script reports whether a script used the server before.
func (before toolWork) compare(again toolWork, v verification, script bool) (fails string, differs []string) {
	if again.tools != before.tools {
		differs = append(differs, fmt.Sprintf("it lists %d tools, and listed %d before", again.tools, before.tools))
	}
	switch {
	case v.What == verifyScript:
		both := maps.Clone(before.calls)
		if both == nil {
			both = map[string][2]int{}
		}
		maps.Copy(both, again.calls)
		for _, tool := range slices.Sorted(maps.Keys(both)) {
			was, is := before.calls[tool], again.calls[tool]
			switch {
			case is[1] < was[1] && is[0] > was[0]:
				fails = "calls of " + tool + " fail that worked before"
			case is != was:
				differs = append(differs, fmt.Sprintf("%d calls of %s failed and %d succeeded, before %d and %d", is[0], tool, is[1], was[0], was[1]))
			}
		}
		if !bytes.Equal(again.value, before.value) {
			differs = append(differs, fmt.Sprintf("the script returned %s, and %s before", inShort(again.value), inShort(before.value)))
		}
	case script:
		differs = append(differs, "the script did not run again: to run it, add --verify script")
	default:
		differs = append(differs, "the calls of the session were not made again")
	}
	if n := len(slices.DeleteFunc(slices.Clone(v.Refused), func(p Problem) bool { return p.Minor })); n > 0 {
		differs = append(differs, fmt.Sprintf("it was refused what it did before (%d)", n))
	}
	return fails, differs
}

// inShort shortens a value for one line.
func inShort(value json.RawMessage) string {
	if len(value) == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%.60s", value)
}

// counting is a place that counts the calls of a script by tool, and keeps the value that it returns.
type counting struct {
	exec.OwnPlace
	done *toolWork
}

// Exec implements exec.Place.
func (c counting) Exec(ctx context.Context, req toolscript.ExecRequest, emit func(toolscript.Event) error) error {
	return c.OwnPlace.Exec(ctx, req, func(e toolscript.Event) error {
		if e.Type == toolscript.EventCallEnd && e.OK != nil {
			if c.done.calls == nil {
				c.done.calls = map[string][2]int{}
			}
			n := c.done.calls[e.Tool]
			if *e.OK {
				n[1]++
			} else {
				n[0]++
			}
			c.done.calls[e.Tool] = n
		}
		if e.End != nil {
			c.done.value = e.Value
		}
		return emit(e)
	})
}
