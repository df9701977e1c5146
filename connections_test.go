package toolscript_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// connecting matches code that connects to an address.
var connecting = regexp.MustCompile(`http\.(Client|Transport)\{|\bhttp\.(Get|Post|PostForm|Head|DefaultClient|DefaultTransport)\b|new\(http\.(Client|Transport)\)|\bnet\.(Dial|DialTimeout|DialTCP|DialUDP|Dialer)\b|nats\.Connect\(|\breach\.NewTransport\(`)

// unguarded maps the files that connect without egress.Guard to the reason. In each of them, only the
// user or this program chooses the addresses.
var unguarded = map[string]string{
	"actors/search/embedding/remote.go":           "the endpoint that the user wrote; redirects are not followed",
	"cmd/hook/model.go":                           "the endpoint that the user wrote; redirects are not followed",
	"cmd/status/command.go":                       "the gateway that the user names; redirects are not followed",
	"transport/egress/proxy.go":                   "the settings of the connections of others",
	"cmd/hub/socket_unix.go":                      "the socket of this user's hub",
	"transport/api/client.go":                     "the gateway that the user names; redirects are not followed",
	"transport/telemetry/otlp.go":                 "the endpoint that the user wrote; redirects are not followed",
	"harness/agent/client.go":                     "the endpoint that the user wrote; redirects are not followed",
	"transport/builtin/web/provider.go":           "the provider that the user wrote; redirects are not followed",
	"transport/mcpclient/httptransport/client.go": "the settings for the guard of mcpclient",
	"transport/egress/egress.go":                  "addresses of the configuration; names pass the guard",
	"transport/hub/link.go":                       "the connection to this user's hub; servers that it names are ignored",
	"transport/hub/cluster/connect.go":            "the fleet that the user wrote; it never connects again",
	"transport/hub/host/broker.go":                "the NATS server of the same process",
}

// TestConnections: each file that connects to an address uses egress.Guard or is listed in unguarded.
func TestConnections(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == "node_modules" || name == "test" || name == "testdata" || name == "examples" || strings.HasPrefix(name, ".") && name != "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		if !connecting.Match(text) || path == "transport/egress/guard.go" {
			return nil
		}
		found[path] = true
		if guarded := strings.Contains(string(text), "egress.NewGuard("); unguarded[path] == "" && !guarded {
			t.Errorf("%s connects to addresses without egress.Guard: a remote party that chooses one could lead into the user's network", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range unguarded {
		if !found[path] {
			t.Errorf("%s connects to nothing", path)
		}
	}
}
