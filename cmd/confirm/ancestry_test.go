package confirm_test

import (
	"testing"

	"github.com/toolscript/toolscript/cmd/confirm"
)

func TestVariable(t *testing.T) {
	for _, test := range []struct {
		env  []string
		want string
	}{
		{nil, ""},
		{[]string{"PATH=/bin", "CURSOR_TRACE_ID=1", "TERM_PROGRAM=vscode"}, ""},
		{[]string{"CLAUDECODE="}, ""},
		{[]string{"PATH=/bin", "GEMINI_CLI=1"}, "GEMINI_CLI"},
		{[]string{"AGENT=amp"}, "AGENT"},
	} {
		if got := confirm.AgentVariable(test.env); got != test.want {
			t.Errorf("%q: %q, want %q", test.env, got, test.want)
		}
	}
}
