package confine_test

import (
	"slices"
	"testing"

	"github.com/toolscript/toolscript/cmd/confine"
	"github.com/toolscript/toolscript/runner/observed"
)

// TestRefused: Refused names the attempts of a confined server that its profile does not allow.
func TestRefused(t *testing.T) {
	r := &observed.Record{}
	r.Begin(observed.Base{Dir: "/p", Read: []string{"/usr"}, Write: []string{"/p"}, Modes: true})
	r.File("/usr/x", false, observed.Read)
	r.File("/p/x", false, observed.Change)
	r.File("/q", false, observed.Read)
	for kind, target := range map[string]string{observed.Proxied: "api.example.com:443", observed.Refused: "b.example:1", observed.Connect: "192.0.2.1:1", observed.SetID: "/p/x"} {
		r.Act(kind, target)
	}
	r.Act(observed.Mode, "/p/x")
	r.Act(observed.Mode, "/q")
	r.Act(observed.Times, "/p/x")
	r.Act(observed.Times, "/q")
	var got []string
	for _, p := range confine.Refused(r, "/home/u") {
		got = append(got, p.What)
	}
	want := []string{"changes the mode of /q", "connects to 192.0.2.1:1 without the proxy", "connects to b.example:1", "makes /p/x setuid or setgid", "reads /q", "changes the times of /q"}
	if !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
}
