package cli

import (
	"bytes"
	"testing"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
)

// typedApp returns the state of a command after its flags were parsed.
func typedApp(t *testing.T, args ...string) *app.App {
	t.Helper()
	a := newApp(app.State{Args: args, Dir: t.TempDir(), Stdin: &bytes.Buffer{}, Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}})
	root := newRoot(a)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		c.RunE = func(*cobra.Command, []string) error { return nil }
		return a.Read(c)
	}
	root.SetArgs(args)
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return a
}

// Suggested commands repeat the flags of the command line that select a configuration or a gateway.
func TestAgain(t *testing.T) {
	flags := []string{"-c", "my file.json", "--data-dir=d", "-g", "http://127.0.0.1:1/secret"}
	const all = " -c 'my file.json' --data-dir d -g http://127.0.0.1:1"
	for _, tt := range []struct{ text, want string }{
		{"run: toolscript auth x", "run: toolscript" + all + " auth x"},
		{"toolscript trust", "toolscript" + all + " trust"},
		{"one of: toolscript init, toolscript add NAME -- X", "one of: toolscript" + all + " init, toolscript" + all + " add NAME -- X"},
		{"(toolscript get-types a__b) or\ntoolscript search x", "(toolscript" + all + " get-types a__b) or\ntoolscript" + all + " search x"},
		{"toolscript gateway stop -g URL; x", "toolscript -c 'my file.json' --data-dir d gateway stop -g URL; x"},
		{"toolscript auth x --config FILE", "toolscript --data-dir d -g http://127.0.0.1:1 auth x --config FILE"},
		{"toolscript add --yes x -- npx -c y", "toolscript" + all + " add --yes x -- npx -c y"},
		{"Run 'toolscript call --help' for usage.", "Run 'toolscript call --help' for usage."},
		{"the gateway is toolscript 1.0, not my-toolscript exec", "the gateway is toolscript 1.0, not my-toolscript exec"},
		{"", ""},
	} {
		if got := typedApp(t, append([]string{"list-servers"}, flags...)...).Again(tt.text); got != tt.want {
			t.Errorf("again(%q) = %q, want %q", tt.text, got, tt.want)
		}
		if got := typedApp(t, "list-servers").Again(tt.text); got != tt.text {
			t.Errorf("without flags, again(%q) = %q", tt.text, got)
		}
	}
}

// TestToAgent: a message to an agent without a shell says to ask the user to type a command, or
// names the tool of the agent that does the same.
func TestToAgent(t *testing.T) {
	a := typedApp(t, "mcp", "-c", "f")
	for _, tt := range []struct{ text, want string }{
		{"needs authorization; run: toolscript auth x", "needs authorization; ask the user to run: toolscript -c f auth x"},
		{"no server; see: toolscript list-servers", "no server; ask the user to run: toolscript -c f list-servers"},
		{"answer requests with: toolscript approvals", "answer requests with: toolscript -c f approvals (ask the user to run this command)"},
		{"see: toolscript list-tools x", "see: describe_tools x"},
		{"the server is toolscript 1.0", "the server is toolscript 1.0"},
	} {
		if got := a.ToAgent(tt.text); got != tt.want {
			t.Errorf("toAgent(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// with returns the typed command with one more flag.
func TestWith(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"add", "x", "--", "npx", "-y"}, "toolscript add --yes x -- npx -y"},
		{[]string{"-c", "add", "add", "x y", "http://a"}, "toolscript -c add add --yes 'x y' http://a"},
		{[]string{"--config=f", "config", "import", "--json"}, "toolscript '--config=f' config import --yes --json"},
	} {
		if got := typedApp(t, tt.args...).With("--yes"); got != tt.want {
			t.Errorf("with %q = %s, want %s", tt.args, got, tt.want)
		}
	}
}
