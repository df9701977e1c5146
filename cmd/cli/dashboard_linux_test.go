package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDashboard: the browser gets a link that opens the page, and the command does not print the link.
func TestDashboard(t *testing.T) {
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), fmt.Appendf(nil, "#!/bin/sh\nprintf %%s \"$1\" >%s\n", opened), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	w := newWorld(t, map[string]string{"home/.toolscript.json": demoConfig})
	if r := w.run(t, "dashboard"); r.code != 1 || !strings.Contains(r.stderr, "toolscript gateway start") {
		t.Errorf("without a gateway: %+v", r)
	}
	w.env = append(w.env, "DISPLAY=:0")
	listening, _ := gatewayAt(t, w)
	address := listening[strings.LastIndex(listening, "http://"):]
	for _, agent := range []bool{false, true} { // an agent, too, may open a tab on the screen of its user
		here := *w
		if agent {
			here.env = append(here.env[:len(here.env):len(here.env)], "CLAUDECODE=1")
		}
		r := here.run(t, "dashboard")
		if r.code != 0 || r.stdout != "The page of the gateway at "+address+" opens in the browser\n" || strings.Contains(r.stderr, "/open/") {
			t.Errorf("dashboard, agent %v: %+v", agent, r)
		}
		link, err := os.ReadFile(opened)
		if err != nil {
			t.Fatal(err)
		}
		if status, page := visited(t, string(link)); status != http.StatusOK || !strings.Contains(page, "<title>toolscript</title>") {
			t.Errorf("the link: %d %s", status, page)
		}
	}
	var shown struct{ URL, Shown string }
	if r := w.run(t, "dashboard", "--json"); json.Unmarshal([]byte(r.stdout), &shown) != nil || shown.URL != address || shown.Shown != "browser" {
		t.Errorf("dashboard --json: %+v", r)
	}
}

// visited opens an address like a browser, with cookies and redirects.
func visited(t *testing.T, link string) (status int, page string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Jar: jar}).Get(link)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // only read, so an error is harmless
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
