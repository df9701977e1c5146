package doctor

import (
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/terminal"
)

// TestFitted: the lines of doctor fit a terminal of 60 columns. In output for programs, each is one line.
func TestFitted(t *testing.T) {
	const text = "deno        missing: there is no deno in PATH and TOOLSCRIPT_DENO is not set; run: toolscript deno install\n" +
		"  landlock       yes  ABI 7: files, truncation, TCP, devices, signals and abstract sockets\n"
	if got := fitted(text, 0); got != text {
		t.Errorf("without a terminal: %q", got)
	}
	got := fitted(text, 60)
	for line := range strings.Lines(got) {
		if terminal.Width(strings.TrimSuffix(line, "\n")) > 60 {
			t.Errorf("wider than 60: %s", line)
		}
	}
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") || !strings.Contains(got, "\n"+strings.Repeat(" ", 22)+"devices") {
		t.Errorf("60 columns:\n%s", got)
	}
}
