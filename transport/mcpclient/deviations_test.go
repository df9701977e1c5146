package mcpclient_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/transport/mcpclient/httptransport"
	"github.com/toolscript/toolscript/transport/upstream"
)

// altered starts a server that passes each regular answer through alter.
func altered(t *testing.T, alter func(w http.ResponseWriter, answer string) string) upstream.Config {
	t.Helper()
	return upstream.Config{Type: upstream.HTTP, URL: serve(t, answering(func(w http.ResponseWriter, a asked) string {
		switch a.Method {
		case "server/discover":
			return ""
		case "initialize":
			return alter(w, a.result(greeting(upstream.Handshake, "{}")))
		}
		return alter(w, a.result(`{"content":[{"type":"text","text":"caf\u00e9 fran\u00e7ais"}]}`))
	}))}
}

// latin writes a text in ISO-8859-1.
func latin(text string) string {
	var out bytes.Buffer
	for _, r := range text {
		_ = out.WriteByte(byte(r)) // never fails
	}
	return out.String()
}

// TestDeviations: the client tolerates known deviations from JSON-RPC, and Deviations returns them.
func TestDeviations(t *testing.T) {
	plain := func(text string) string { return strings.NewReplacer(`\u00e9`, "é", `\u00e7`, "ç").Replace(text) }
	for how, alter := range map[string]func(w http.ResponseWriter, answer string) string{
		httptransport.LatinText: func(w http.ResponseWriter, answer string) string {
			w.Header().Set("Content-Type", "application/json; charset=ISO-8859-1")
			return latin(plain(answer))
		},
		httptransport.LatinText + " ": func(w http.ResponseWriter, answer string) string {
			w.Header().Set("Content-Type", "text/event-stream; charset=ISO-8859-1")
			return "data: " + latin(plain(answer)) + "\r\r"
		},
		httptransport.TextIDs: func(_ http.ResponseWriter, answer string) string {
			before, rest, _ := strings.Cut(answer, `"id":`)
			id, rest, _ := strings.Cut(rest, ",")
			return before + `"id":"` + id + `",` + rest
		},
		httptransport.NoVersion: func(_ http.ResponseWriter, answer string) string {
			return strings.Replace(answer, `"jsonrpc":"2.0",`, "", 1)
		},
		httptransport.ListedAnswer: func(_ http.ResponseWriter, answer string) string { return " [" + answer + "]" },
		httptransport.OtherMediaType: func(w http.ResponseWriter, answer string) string {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			return answer
		},
	} {
		t.Run(how, func(t *testing.T) {
			c := dial(t, altered(t, alter), upstream.Events{})
			if got := text(t, c, "x", `{}`); got != "café français" {
				t.Errorf("the tool answered %q", got)
			}
			if got := c.Deviations(); !slices.Equal(got, []string{strings.TrimSpace(how)}) {
				t.Errorf("deviations %q, want %q", got, how)
			}
		})
	}
}

// TestDeviationsOverStdio checks the same over stdio.
func TestDeviationsOverStdio(t *testing.T) {
	if got := dial(t, config(t), upstream.Events{}).Deviations(); len(got) > 0 {
		t.Errorf("a regular server: %q", got)
	}
	c := dial(t, config(t, "texts"), upstream.Events{})
	if got := c.Deviations(); !slices.Equal(got, []string{httptransport.TextIDs}) {
		t.Errorf("deviations %q", got)
	}
	latinServer := dial(t, config(t, "latin"), upstream.Events{})
	if got := text(t, latinServer, "echo", `{"text":"café"}`); got != "café" || !slices.Equal(latinServer.Deviations(), []string{httptransport.LatinText}) {
		t.Errorf("echo = %q, deviations %q", got, latinServer.Deviations())
	}
}

// A text in UTF-8 with one damaged letter is not taken for ISO-8859-1.
func TestDamagedText(t *testing.T) {
	for text, want := range map[string]string{"a\xe9": "aé", "é\xe9": "é\xe9", "é": "é", "": "", "\x80": "\u0080"} {
		if got, _ := httptransport.UTF8([]byte(text)); string(got) != want {
			t.Errorf("%q is read as %q, want %q", text, got, want)
		}
	}
}
