package discovery_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// gateways fills a folder with entries of another PID namespace, so that their processes cannot be examined.
func gateways(t *testing.T, entries ...discovery.Entry) discovery.Places {
	t.Helper()
	folder := discovery.In(t.TempDir())
	own := write(t, folder, discovery.Entry{})
	if err := folder.Remove(own); err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		e.PID, e.StartTime, e.Host, e.PIDNamespace = 1000+i, uint64(i), own.Host, "pid:[elsewhere]"
		processScope(t, folder, fileName(e), e)
	}
	return folder
}

func entry(port int, session, config string, minute int) discovery.Entry {
	return discovery.Entry{
		URL: fmt.Sprintf("http://127.0.0.1:%d/c%d", port, port), Session: session, Config: strings.Fields(config),
		StartedAt: time.Date(2025, 11, 21, 12, minute, 0, 0, time.UTC),
	}
}

func TestFind(t *testing.T) {
	folder := gateways(t,
		entry(1, "s1", "/home/c /p/c", 1),
		entry(2, "s2", "/home/c /p/c", 3),
		entry(3, "", "/home/c", 4),
		entry(4, "s1", "/home/c", 2),
	)
	for _, test := range []struct {
		name, session, config string
		want                  []string
	}{
		{"session, newest first, whatever the configuration", "s1", "/elsewhere", []string{":4", ":1"}},
		{"configuration, newest first", "", "/home/c /p/c", []string{":2", ":1"}},
		{"a session without a gateway gets one of no session", "s9", "/home/c", []string{":3"}},
		{"and never that of another session", "s9", "/home/c /p/c", nil},
		{"the order of the files counts", "", "/p/c /home/c", nil},
		{"nothing", "", "/q", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			entries, err := folder.Find(test.session, strings.Fields(test.config))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range entries {
				got = append(got, strings.TrimPrefix(e.Address(), "http://127.0.0.1"))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Find (-want +got):\n%s", diff)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	folder := gateways(t, entry(4711, "", "", 1))
	const whole = "http://127.0.0.1:4711/c4711"
	for address, want := range map[string]string{
		"http://127.0.0.1:4711":         whole,
		"http://localhost:4711/":        whole,
		"http://[::1]:4711":             whole,
		"http://127.0.0.1:4711/other":   "http://127.0.0.1:4711/other",
		"http://127.0.0.1:4712":         "http://127.0.0.1:4712",
		"http://127.0.0.1":              "http://127.0.0.1",
		"http://example.com:4711":       "http://example.com:4711",
		"http://127.0.0.1.evil.com:471": "http://127.0.0.1.evil.com:471",
		"not an address\x00":            "not an address\x00",
	} {
		if got, err := folder.Complete(address); err != nil || got != want {
			t.Errorf("Complete(%q) = %q, %v; want %q", address, got, err, want)
		}
	}
	if got, err := discovery.In(filepath.Join(t.TempDir(), "gone")).Complete(whole[:21]); err != nil || got != whole[:21] {
		t.Errorf("Complete without a folder = %q, %v; want the address", got, err)
	}
}

func TestSession(t *testing.T) {
	for _, test := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"none", nil, ""},
		{"Claude's", map[string]string{"CLAUDE_CODE_SESSION_ID": "c", "SESSION_ID": "s"}, "c"},
		{"any other", map[string]string{"CLAUDE_CODE_SESSION_ID": "", "SESSION_ID": "s"}, "s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := discovery.Session(lookup(test.env)); got != test.want {
				t.Errorf("Session = %q, want %q", got, test.want)
			}
		})
	}
}

func TestEntryPrintsNoCapability(t *testing.T) {
	e := discovery.Entry{URL: capability}
	for _, text := range []string{fmt.Sprint(e), fmt.Sprintf("%+v", e), fmt.Sprintf("%#v", e), e.LogValue().String(), e.Address()} {
		if text != "http://127.0.0.1:4711" {
			t.Errorf("%q, want the address alone", text)
		}
	}
}
