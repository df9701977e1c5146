package exec_test

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/cmd/exec"
)

func servers(t *testing.T, line ...string) (string, error) {
	t.Helper()
	o := &exec.AdhocFlags{}
	f := pflag.NewFlagSet("test", pflag.ContinueOnError)
	o.Add(f)
	if err := f.Parse(line); err != nil {
		t.Fatal(err)
	}
	found, err := o.Servers()
	var out []string
	for _, name := range exec.AdhocNames(found) {
		out = append(out, name+" "+string(found[name]))
	}
	return strings.Join(out, "\n"), err
}

func TestServers(t *testing.T) {
	for _, c := range []struct {
		name string
		line []string
		want string // definitions, or a part of the error
		bad  bool
	}{
		{"none", nil, "", false},
		{"command", []string{"--stdio", "npx -y server"}, `adhoc {"type":"stdio","command":"npx","args":["-y","server"]}`, false},
		{"quotes", []string{"--stdio", `my\ server 'a  b' "c d" ''`}, `adhoc {"type":"stdio","command":"my server","args":["a  b","c d",""]}`, false},
		{"variables", []string{"--stdio", `server $TOKEN x=${KEY} ~/file '$5'`}, `adhoc {"type":"stdio","command":"server","args":["${TOKEN}","x=${KEY}","${HOME}/file","$5"]}`, false},
		{"name", []string{"--stdio", "git=npx -y server --a=b"}, `git {"type":"stdio","command":"npx","args":["-y","server","--a=b"]}`, false},
		{"environment", []string{"--stdio", "server", "--env", "TOKEN", "--env", "A=b=c"}, `adhoc {"type":"stdio","command":"server","env":{"A":"b=c","TOKEN":"${TOKEN}"}}`, false},
		{"address", []string{"--url", "https://x.example/mcp?a=b"}, `adhoc {"type":"http","url":"https://x.example/mcp?a=b"}`, false},
		{"named address", []string{"--url", "api=https://x.example/mcp", "--header", "Authorization: Bearer ${T}"}, `api {"type":"http","url":"https://x.example/mcp","headers":{"Authorization":"Bearer ${T}"}}`, false},
		{"two", []string{"--stdio", "a", "--url", "b=http://x"}, "adhoc {\"type\":\"stdio\",\"command\":\"a\"}\nb {\"type\":\"http\",\"url\":\"http://x\"}", false},

		{"same name", []string{"--stdio", "a", "--url", "http://x"}, "two servers have the name adhoc", true},
		{"pipe", []string{"--stdio", "a | b"}, "is not one command", true},
		{"substitution", []string{"--stdio", "a $(b)"}, "is not one command", true},
		{"open quote", []string{"--stdio", "a 'b"}, "is not one command", true},
		{"no command", []string{"--stdio", " "}, "names no command", true},
		{"empty command", []string{"--stdio", "'' b"}, "names no command", true},
		{"no host", []string{"--url", "https:///x"}, "--url needs the address", true},
		{"file", []string{"--url", "file:///etc/passwd"}, "--url needs the address", true},
		{"empty variable", []string{"--stdio", "a", "--env", "=x"}, "names no variable", true},
		{"header without a value", []string{"--url", "http://x", "--header", "Authorization"}, "needs a name and a value", true},
		{"variable for an address", []string{"--url", "http://x", "--env", "A"}, "--env is for a server of --stdio", true},
		{"header for a command", []string{"--stdio", "a", "--header", "A: b"}, "--header is for a server of --url", true},
		{"variable alone", []string{"--env", "A"}, "add one of these", true},
		{"save alone", []string{"--save", "x"}, "add one of these", true},
		{"save under no name", []string{"--stdio", "a", "--save", "my server"}, "is no name of a server", true},
		{"save two", []string{"--stdio", "a", "--stdio", "b=c", "--save", "x"}, "--save writes one server", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := servers(t, c.line...)
			switch {
			case c.bad && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error %v, want %q", err, c.want)
			case !c.bad && (err != nil || got != c.want):
				t.Errorf("got %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// FuzzServers checks that each command line results in a definition or an error.
func FuzzServers(f *testing.F) {
	for _, seed := range []string{"npx -y a", "a=b c", "$A ${B:-c}", "a {1,2}", "((", "'", `\`, "a\x00b", "~x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		if got, err := servers(t, "--stdio="+command); err == nil && !strings.Contains(got, `"command":"`) {
			t.Errorf("%q has no command: %s", command, got)
		}
	})
}
