package status

import (
	"context"
	"errors"
	"strings"
	"testing"
	"unicode"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// hostSample returns a model with an item of each kind and state, and with text in every place that can have one.
func hostSample(text string) *hostModel {
	m := newHostModel(context.Background(), HostScreenOptions{})
	m.known = true
	m.items = []Item{
		{Kind: KindGateway, URL: "http://127.0.0.1:43211", State: discovery.Alive, PID: 4242, Version: "0.1.0", Session: text, Client: 99, UptimeSeconds: 7383, Ready: 2, Servers: 3, Runs: 1, MemoryMB: 21.4, Config: []string{"/home/me/.toolscript.json", text}},
		{Kind: KindGateway, URL: "http://127.0.0.1:43212", State: discovery.Silent, PID: 4300, Version: text, Error: text, Command: "toolscript gateway stop -g http://127.0.0.1:43212"},
		{Kind: KindGateway, URL: "http://127.0.0.1:43213", State: discovery.Stale, PID: 4400, Command: "toolscript gateway prune"},
		{Kind: KindHub, State: discovery.Alive, PID: 4500, Version: "0.1.0", UptimeSeconds: 83, Gateways: 1, Ready: 1, Servers: 2, MemoryMB: 18},
		{Kind: KindServer, Name: "github", State: "ready", PID: 4501, UptimeSeconds: 80, Gateways: 1, InFlight: 3, Calls: 1203, MemoryMB: 88},
		{Kind: KindServer, Name: text, State: "backoff", Gateways: 2, Error: text, Folder: text},
	}
	return m
}

func hostScreen(m *hostModel) string {
	return colour.ReplaceAllString(strings.Join(m.lines(), "\n"), "")
}

// The screen of a host has exactly the size of the terminal, whatever the texts are, and no
// text reaches the terminal as a control sequence.
func TestHostFits(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {40, 24}, {200, 50}, {20, 6}, {3, 2}, {80, 1}} {
		for _, keys := range []string{"", "?", "/x", "<enter>", "<down><down><enter>", "G", "2"} {
			for _, failed := range []error{nil, errors.New(hostile)} {
				m := hostSample(hostile)
				m.width, m.height, m.failed = size[0], size[1], failed
				pressOn(m, keys)
				lines := m.lines()
				if len(lines) != size[1] {
					t.Errorf("%v, %q: %d lines", size, keys, len(lines))
				}
				for _, line := range lines {
					plain := colour.ReplaceAllString(line, "")
					if terminal.Width(plain) > size[0] || strings.ContainsFunc(plain, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.Is(unicode.Bidi_Control, r) }) {
						t.Errorf("%v, %q: %q", size, keys, line)
					}
				}
			}
		}
	}
}

// One table has all items, and a stale item has the command that removes it.
func TestHostShows(t *testing.T) {
	m := hostSample("refused")
	shown := hostScreen(m)
	t.Log("\n" + shown)
	last := 0
	for _, text := range []string{"2 gateways, 1 hub, 2 shared servers, 1 stale, 127 MB", "What", "127.0.0.1:43211", "alive", "2 of 3 servers", "1 run", "21",
		"127.0.0.1:43212", "no answer", "→ toolscript gateway stop -g http://127.0.0.1:43212", "127.0.0.1:43213", "stale", "→ toolscript gateway prune",
		"hub", "1 gateway", "github", "ready", "3 calls", "backoff", "2 gateways", "gateway http://127.0.0.1:43211, alive, version 0.1.0, process 4242, session", "refused, agent 99", "? keys"} {
		at := strings.Index(shown[last:], text)
		if at < 0 {
			t.Errorf("%q is missing or in the wrong place", text)
		}
		last += max(0, at)
	}
	pressOn(m, "/prune<enter>")
	if shown := hostScreen(m); !strings.Contains(shown, "43213") || strings.Contains(shown, "43211") {
		t.Errorf("filtered:\n%s", shown)
	}
	m.Update(looked{err: errors.New("the folder is not private")})
	if shown := hostScreen(m); !strings.Contains(shown, "Old state. the folder is not private") || !strings.Contains(shown, "43213") {
		t.Errorf("after an error:\n%s", shown)
	}
	empty := newHostModel(context.Background(), HostScreenOptions{})
	if shown := hostScreen(empty); !strings.Contains(shown, "looking") {
		t.Errorf("before the first look:\n%s", shown)
	}
	empty.Update(looked{})
	if shown := hostScreen(empty); !strings.Contains(shown, "0 gateways, 0 hubs, 0 shared servers") || !strings.Contains(shown, "No gateway runs, and no hub.") {
		t.Errorf("nothing:\n%s", shown)
	}
}

// A key runs a command after a question, and the screen shows what the command printed.
func TestHostActions(t *testing.T) {
	gateway := Item{Kind: KindGateway, URL: "http://127.0.0.1:1", State: discovery.Alive, Restart: []string{"restart"}, Remove: []string{"stop"}}
	server := Item{Kind: KindServer, Name: "x", State: "ready"}
	for _, tt := range []struct {
		keys, printed, told string
		item                Item
		err                 error
		ran                 bool
	}{
		{"xy", "x\nStopped the gateway\n", "Stopped the gateway", gateway, nil, true},
		{"xn", "", "not done", gateway, nil, false},
		{"ry", "toolscript: no\n", "failed: toolscript: no", gateway, errors.New("exit status 1"), true},
		{"ry", "", "failed: exit status 1", gateway, errors.New("exit status 1"), true},
		{"r", "", "cannot be restarted", server, nil, false},
		{"x", "", "it ends when no gateway has used it", server, nil, false},
	} {
		ran := false
		m := newHostModel(context.Background(), HostScreenOptions{Do: func(_ context.Context, args []string) (string, error) {
			ran = true
			if want := map[byte]string{'r': "restart", 'x': "stop"}[tt.keys[0]]; strings.Join(args, " ") != want {
				t.Errorf("%s runs %q", tt.keys, args)
			}
			return tt.printed, tt.err
		}})
		m.Update(looked{items: []Item{tt.item}})
		for _, command := range pressOn(m, tt.keys) {
			m.Update(command())
		}
		if ran != tt.ran || !strings.Contains(m.foot(), tt.told) {
			t.Errorf("%s: ran %t, shown %q", tt.keys, ran, m.foot())
		}
	}
}
