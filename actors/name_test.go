package actors_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestAmbiguousServer: a server whose ids could be those of another server is not started, however
// it was configured, and takes no tool of the other away.
func TestAmbiguousServer(t *testing.T) {
	for _, name := range []string{"a__b", "a_", "a__", "a__echo"} {
		synctest.Test(t, func(t *testing.T) {
			good, bad := newConn("a"), newConn(name)
			good.tools, bad.tools = []string{"echo", "b__echo", "_echo"}, []string{"echo", "_echo"}
			s := startWith(t, actors.Options{
				Servers: map[string]upstream.Config{"a": {Type: upstream.Stdio, Command: "a"}, name: {Type: upstream.Stdio, Command: "b"}},
				Dial:    dialer{"a": answers(good, nil), name: answers(bad, nil)}.dial,
			})
			synctest.Wait()
			all, err := s.Servers(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, known := range all {
				if known.Name == name && (known.State != toolscript.Failed || known.Tools != 0 || !strings.Contains(known.Error, "must not contain __")) {
					t.Errorf("%q: %+v", name, known)
				}
			}
			for _, tool := range []string{"echo", "b__echo", "_echo"} {
				if found, ok := s.Catalog().Lookup("a__" + tool); !ok || found.Server != "a" || found.Name != tool {
					t.Errorf("with %q, a__%s is %+v", name, tool, found)
				}
			}
		})
	}
}
