package cli

import (
	"slices"
	"testing"

	"github.com/toolscript/toolscript/cmd/app"
)

// A command that is constructed alone has the same help as one constructed with all others.
func TestOneCommand(t *testing.T) {
	for _, all := range newRoot(&app.App{}).Commands() {
		name := all.Name()
		if made := one([]string{name, "x"}); (made == "") != slices.Contains([]string{"help", "completion"}, name) || made != "" && made != name {
			t.Errorf("of %s, the command %q is made", name, made)
			continue
		}
		root := newRootWith(&app.App{}, one([]string{name, "x"}))
		alone, _, err := root.Find([]string{name})
		if err != nil || alone.Name() != name {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all.InitDefaultHelpFlag()
		alone.InitDefaultHelpFlag()
		if got, want := alone.UsageString(), all.UsageString(); got != want {
			t.Errorf("alone, %s is\n%s\nand among all commands\n%s", name, got, want)
		}
	}
	for _, args := range [][]string{nil, {"-c", "x", "exec"}, {"a.ts"}, {"exe"}, {"--help"}, {"--version", "exec"}, {"__complete", "exec"}} {
		if made := one(args); made != "" {
			t.Errorf("of %q, only %s is made", args, made)
		}
	}
}
