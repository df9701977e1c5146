package actors_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestMissingTools has a server that is ready and one that cannot be reached.
func TestMissingTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startWith(t, actors.Options{
			Servers: map[string]upstream.Config{"my-hub": {ExcludeTools: []string{"list"}}, "away": {}},
			Dial: func(_ context.Context, name string, _ upstream.Config, _ upstream.Events) (server.Conn, error) {
				if name == "away" {
					return nil, errors.New("connection refused")
				}
				return newConn("my-hub", "create_issue", "list"), nil
			},
		})
		synctest.Wait()
		deps := actors.RunDeps(s)
		for _, tt := range []struct {
			need string
			want string // part of the reason; "": it can be called
		}{
			{"my-hub__create_issue", ""},
			{"my-hub__createIssue", ""},
			{"my-hub.create_issue", ""},
			{"myHub.createIssue", ""},
			{"tools.myHub.createIssue", ""},
			{"my-hub", ""},
			{"*issue", ""},
			{"my*.create?ssue", ""},
			{"*", ""},
			{"my-hub__list", "server my-hub has no such tool, or its includeTools or excludeTools"},
			{"my-hub__createIsue", "did you mean my-hub__create_issue?"},
			{"away__x", "away: not connected (connection refused); try again in"},
			{"away", "away: not connected"},
			{"other.x", "no server of this name is configured"},
			{"create_issue", "no server of this name is configured"},
		} {
			err := deps.Missing([]string{"my-hub", tt.need}, nil)
			if tt.want == "" && err != nil || tt.want != "" && (toolscript.KindOf(err) != toolscript.MissingTools || !strings.Contains(err.Error(), tt.need+": "+tt.want) && !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s: %v, want %q", tt.need, err, tt.want)
			}
			if err != nil && !strings.Contains(err.Error(), "toolscript list-") {
				t.Errorf("%s: no next command in %v", tt.need, err)
			}
		}
		err := deps.Missing([]string{"away.x", "my-hub__create_issue", "secret__x"}, toolscript.Filter{"my-hub__list"})
		if err == nil || strings.Contains(err.Error(), "refused") || strings.Count(err.Error(), "not among the tools this run may call") != 3 || !strings.Contains(err.Error(), "3 of 3") {
			t.Errorf("not allowed: %v", err)
		}
		if diff := cmp.Diff(toolscript.Filter{"away"}, deps.Needed([]string{"away.x", "my-hub*"}, toolscript.Filter{"away"})); diff != "" {
			t.Errorf("needed (-want +got):\n%s", diff)
		}
	})
}

// TestMissingToolInQuarantine: a tool that has changed is missing until it is accepted.
func TestMissingToolInQuarantine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPinning(t, toolscript.PinsQuarantine, noPins(), nil, described("a", "read_file", "Reads a file."))
		p.conn.change(described("a", "read_file", poisonedText))
		synctest.Wait()
		missing := actors.RunDeps(p.System).Missing
		for _, need := range []string{"a__read_file", "a.readFile"} {
			if err := missing([]string{need}, nil); err == nil || !strings.Contains(err.Error(), "is in quarantine") || !strings.Contains(err.Error(), "toolscript pins accept a__read_file") {
				t.Errorf("%s: %v", need, err)
			}
		}
		p.accept(t, "a", "read_file")
		if err := missing([]string{"a__read_file"}, nil); err != nil {
			t.Errorf("after it was accepted: %v", err)
		}
	})
}
