package hook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/cmd/hook"
)

func TestRead(t *testing.T) {
	e, err := hook.Read(strings.NewReader(`{"session_id": "s", "cwd": "/w", "source": "clear", "later": 1}`))
	if err != nil || e.SessionID != "s" || e.Cwd != "/w" || e.Source != "clear" {
		t.Errorf("Read = %+v, %v", e, err)
	}
	for name, text := range map[string]string{"nothing": "", "no JSON": "{", "no object": "[]", "too long": `"` + strings.Repeat("x", 17<<20) + `"`} {
		if _, err := hook.Read(strings.NewReader(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestMessage(t *testing.T) {
	var b bytes.Buffer
	if err := hook.Message(&b, "a\n\"b\""); err != nil || b.String() != `{"systemMessage":"a\n\"b\""}`+"\n" {
		t.Errorf("Message = %q, %v", b.String(), err)
	}
}

func TestExport(t *testing.T) {
	path := filepath.Join(t.TempDir(), "env")
	for _, value := range []string{"http://127.0.0.1:1/a", "it's $(ls)"} {
		if err := hook.Export(path, "URL", value); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if want := "export URL=http://127.0.0.1:1/a\nexport URL='it'\\''s $(ls)'\n"; err != nil || string(text) != want {
		t.Errorf("file = %q, %v; want %q", text, err, want)
	}
}

func TestMismatch(t *testing.T) {
	for _, tt := range []struct{ plugin, program, want string }{
		{`{"version": "0.1.0"}`, "0.1.0", ""},
		{`{"version": "0.1.7"}`, "0.1.0", ""},
		{`{"version": "0.2.0"}`, "0.1.9", "update the program"},
		{`{"version": "0.1.0"}`, "1.0.0", "update the plugin"},
		{`{"version": "abc"}`, "0.1.0", ""},
		{`{`, "0.1.0", ""},
		{"", "0.1.0", ""},
	} {
		root := t.TempDir()
		if tt.plugin != "" {
			if err := os.Mkdir(filepath.Join(root, ".claude-plugin"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(root, ".claude-plugin", "plugin.json"), []byte(tt.plugin), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got := hook.Mismatch(root, tt.program)
		if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("Mismatch(%s, %s) = %q, want %q in it", tt.plugin, tt.program, got, tt.want)
		}
	}
}

// process is a fake process that ends at a given time, or whose state is unknown.
type process struct {
	end     time.Time
	unknown bool
}

func (p process) Gone() (gone, known bool) {
	if p.unknown {
		return false, false
	}
	return time.Now().After(p.end), true
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		idle := func() time.Duration { return time.Since(began) }
		if got := discovery.WatchClient(t.Context(), process{end: began.Add(5 * time.Hour)}, idle); !strings.Contains(got, "client has ended") || time.Since(began) < 5*time.Hour {
			t.Errorf("Watch = %q after %s", got, time.Since(began))
		}
		began = time.Now()
		if got := discovery.WatchClient(t.Context(), process{unknown: true}, idle); !strings.Contains(got, "not used") || time.Since(began) < time.Hour {
			t.Errorf("Watch = %q after %s", got, time.Since(began))
		}
	})
}
