package confirm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/api"
)

const pageLink = "http://127.0.0.1:1/dashboard/open/abc"

func environment(values map[string]string) ([]string, func(string) (string, bool)) {
	env := []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	return env, func(name string) (string, bool) { value, ok := values[name]; return value, ok }
}

// TestLinkInBrowser: the gateway opens the link in the browser of its desktop.
func TestLinkInBrowser(t *testing.T) {
	folder := t.TempDir()
	opened := filepath.Join(folder, "opened")
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	for _, variable := range []string{"DISPLAY", "WAYLAND_DISPLAY"} {
		script := fmt.Sprintf("#!/bin/sh\necho \"$1\" >%s\n", opened)
		if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		shown, err := confirm.Link(environment(map[string]string{variable: "x"}))(t.Context(), pageLink, api.LinkRequest{})
		text, _ := os.ReadFile(opened)
		if err != nil || shown != api.ShownBrowser || strings.TrimSpace(string(text)) != pageLink {
			t.Errorf("%s: %q, %v; the browser opened %q", variable, shown, err, text)
		}
		_ = os.Remove(opened) // the next browser writes it again
	}
}

// TestLinkAtTerminal: without a desktop, or if the person prefers it, the link is shown at the
// terminal of a person, and at no other terminal.
func TestLinkAtTerminal(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	below := confirm.AgentAbove(os.Getpid()) != "" // then no process belongs to a person
	for name, tt := range map[string]struct {
		env   map[string]string
		print bool
	}{
		"no desktop":               {nil, false},
		"a browser does not start": {map[string]string{"DISPLAY": ":0"}, false},
		"wanted":                   {map[string]string{"DISPLAY": ":0"}, true},
	} {
		show := confirm.Link(environment(tt.env))
		person, screen := process(t, true)
		shown, err := show(t.Context(), pageLink, api.LinkRequest{PID: person, Print: tt.print})
		if below {
			if err == nil {
				t.Errorf("%s: a process below an agent is taken for a person", name)
			}
		} else if err != nil || shown != api.ShownTerminal {
			t.Errorf("%s: %q, %v", name, shown, err)
		} else {
			kit.Shows(t, screen, pageLink)
		}
		pipes, _ := process(t, false)
		agent, seen := process(t, true, "CLAUDECODE=1")
		for who, pid := range map[string]int{"no terminal": pipes, "an agent": agent, "no process": 1 << 30, "nobody": 0} {
			_, err := show(t.Context(), pageLink, api.LinkRequest{PID: pid, Print: tt.print})
			if toolscript.KindOf(err) != toolscript.Forbidden || !strings.Contains(err.Error(), "run toolscript dashboard at a terminal") || strings.Contains(err.Error(), pageLink) {
				t.Errorf("%s, %s: %v", name, who, err)
			}
		}
		if text := seen(); strings.Contains(text, pageLink) {
			t.Errorf("%s: the agent reads %q", name, text)
		}
	}
}
