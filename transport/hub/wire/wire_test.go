package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/hub/wire"
	_ "github.com/toolscript/toolscript/transport/kinds" // for Config.Kind
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// TestErrors checks that an error keeps every field that callers examine.
func TestErrors(t *testing.T) {
	for _, want := range []*toolscript.Error{
		{Kind: toolscript.Invalid, Err: errors.New("does not fit"), Details: []toolscript.Detail{{Path: "/a", Message: "is missing"}}},
		{Kind: toolscript.ToolFailed, Err: errors.New("no such row"), RPCCode: -32011},
		{Kind: toolscript.Busy, Err: errors.New("many calls"), RetryAfter: 1500 * time.Millisecond},
		{Kind: toolscript.Unavailable, Err: errors.New("refused"), Permanent: true},
		{Kind: toolscript.Unavailable, Err: errors.New("refused"), Sent: toolscript.SentNo},
		{Kind: toolscript.Busy, Err: errors.New("no memory"), Sent: toolscript.SentYes},
		{Kind: toolscript.Timeout, Err: errors.New("no answer"), Sent: toolscript.SentUnknown},
		{Kind: toolscript.Unavailable, Err: fmt.Errorf("%w: no route", upstream.ErrUnreachable)},
		{Kind: toolscript.NotFound, Err: fmt.Errorf("%w prompts", upstream.ErrNoCapability)},
		{Kind: toolscript.Unavailable, Err: &mcpclient.DialError{Err: errors.New("exit status 3"), Stderr: []string{"one", "two"}}},
	} {
		got := wire.DecodeError(wire.EncodeError(want, "", ""), toolscript.Error{Server: "s", Tool: "t"})
		if got.Server != "s" || got.Tool != "t" || got.Kind != want.Kind || got.Err.Error() != want.Err.Error() ||
			got.RPCCode != want.RPCCode || got.RetryAfter != want.RetryAfter || got.Sent != toolscript.SentOf(want) || got.Permanent != want.Permanent || !cmp.Equal(got.Details, want.Details) {
			t.Errorf("%#v arrived as %#v", want, got)
		}
		for _, cause := range []error{upstream.ErrUnreachable, upstream.ErrNoCapability} {
			if errors.Is(got, cause) != errors.Is(want, cause) {
				t.Errorf("%v: %v is %t", want, cause, errors.Is(got, cause))
			}
		}
		var sent, arrived *mcpclient.DialError
		if errors.As(want, &sent) && (!errors.As(got, &arrived) || !cmp.Equal(sent.Stderr, arrived.Stderr)) {
			t.Errorf("%v: standard error %v", want, arrived)
		}
	}
	named := wire.DecodeError(wire.EncodeError(errors.New("github~1a2b3c4d needs a login"), "github~1a2b3c4d", "github"), toolscript.Error{})
	if named.Kind != toolscript.Internal || named.Err.Error() != "github needs a login" {
		t.Errorf("error %q of kind %q", named.Err, named.Kind)
	}
	if got := toolscript.KindOf(wire.DecodeError(wire.EncodeError(context.Canceled, "", ""), toolscript.Error{})); got != toolscript.Internal {
		t.Errorf("an error without a kind arrives as %q", got)
	}
}

// TestPieces checks that a payload arrives completely, and that no piece is sent without room.
func TestPieces(t *testing.T) {
	for _, size := range []int{1, wire.PieceSize, wire.PieceSize + 1, 5*wire.PieceSize + 7} {
		payload := bytes.Repeat([]byte("abc"), size)[:size]
		var flow wire.Flow
		var in *wire.Incoming
		sent, over, complete, room := 0, 0, false, 0
		in = wire.NewIncoming(size, &flow, func() { room++ })
		in.Start()
		out := wire.NewOutgoing(payload, func(piece []byte) error {
			sent++
			var err error
			complete, err = in.Add(piece)
			return err
		}, func() { over++ })
		for given := 0; !complete; given++ {
			if given >= room {
				t.Fatalf("%d bytes: no room for the piece after %d", size, given)
			}
			if out.Room(1); sent != given+1 {
				t.Fatalf("%d bytes: %d pieces with room for %d", size, sent, given+1)
			}
		}
		if out.Stop(); over != 1 || !bytes.Equal(in.Payload(), payload) {
			t.Errorf("%d bytes: %d arrived, over %d times", size, len(in.Payload()), over)
		}
		if _, err := in.Add([]byte("x")); !errors.Is(err, wire.ErrPieces) {
			t.Errorf("a piece too many: %v", err)
		}
	}
	over := false
	out := wire.NewOutgoing([]byte("x"), func([]byte) error { return errors.New("lost") }, func() { over = true })
	if out.Room(1); !over {
		t.Error("a payload that cannot be sent is not over")
	}
}

// TestDefinition checks which differences between definitions make different servers, and that
// secrets are only in the payload.
func TestDefinition(t *testing.T) {
	base := func() upstream.Config {
		return upstream.Config{
			Type: upstream.HTTP, URL: "https://example.com/mcp", Headers: map[string]string{"Authorization": "hunter2"}, Shared: upstream.SharedHost,
			OAuth: oauth.Config{ClientID: "id", ClientSecret: "secret2"}, Timeout: time.Minute, IncludeTools: []string{"a"},
		}
	}
	first := wire.Define("a", base(), "/folder", nil)
	for name, change := range map[string]func(*upstream.Config){
		"header": func(c *upstream.Config) { c.Headers = map[string]string{"Authorization": "hunter3"} },
		"secret": func(c *upstream.Config) { c.OAuth.ClientSecret = "secret3" },
		"url":    func(c *upstream.Config) { c.URL += "/" },
	} {
		other := base()
		change(&other)
		if wire.Define("a", other, "/folder", nil).Key() == first.Key() {
			t.Errorf("another %s has the same key", name)
		}
	}
	limited := base()
	limited.Timeout, limited.IncludeTools, limited.Concurrency, limited.Source = 0, nil, 3, "/elsewhere"
	if wire.Define("a", limited, "/other", nil).Key() != first.Key() {
		t.Error("limits and filters change the key")
	}
	if wire.Define("b", base(), "/folder", nil).Key() == first.Key() {
		t.Error("servers with logins of two names have one key")
	}
	back, left, err := wire.DecodeDefinition(first.Encode(time.Second))
	if err != nil || left != time.Second || back.Config.OAuth.ClientSecret != "secret2" || back.Key() != first.Key() {
		t.Errorf("a definition changed on its way: %v, %v", left, err)
	}
	for _, shown := range []string{fmt.Sprint(first), fmt.Sprintf("%+v", first), fmt.Sprintf("%#v", first), first.Key()} {
		if bytes.Contains([]byte(shown), []byte("hunter2")) || bytes.Contains([]byte(shown), []byte("secret2")) {
			t.Errorf("a secret is shown: %s", shown)
		}
	}
}

// TestProject checks that gateways in two folders do not share a server of a project.
func TestProject(t *testing.T) {
	cfg := upstream.Config{Type: upstream.Stdio, Command: "x", Shared: upstream.SharedProject}
	host := []string{"PATH=/bin", "TERM=xterm"}
	a, b := wire.Define("a", cfg, "/a", host), wire.Define("a", cfg, "/b", host)
	if a.Key() == b.Key() {
		t.Error("two projects share a server")
	}
	cfg.Shared = upstream.SharedHost
	a, b = wire.Define("a", cfg, "/a", host), wire.Define("b", cfg, "/b", []string{"PATH=/bin", "TERM=screen"})
	if a.Key() != b.Key() {
		t.Error("one definition in two projects and terminals has two servers")
	}
	if c := wire.Define("a", cfg, "/a", []string{"PATH=/usr/bin"}); c.Key() == a.Key() {
		t.Error("two environments have one server")
	}
}

// TestTools checks that the bytes of schemas stay unchanged.
func TestTools(t *testing.T) {
	skill, err := toolscript.ParseSkill("s", json.RawMessage(`{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"d <&>"},"resources":[{"uri":"skill://a/SKILL.md","digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []toolscript.Tool{skill, {
		Server: "s", Name: "a", Title: "A", Description: "d <&>", InputSchema: json.RawMessage("{ \"type\" : \"object\", \"x\": \"<\" }"),
		UI: &toolscript.UI{Page: "ui://a", NoModels: true},
	}}
	text, err := wire.EncodeTools(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.DecodeTools(text, "s")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("tools (-want +got), %v:\n%s", err, diff)
	}
}

// FuzzWire decodes arbitrary bytes as each message from the other side.
func FuzzWire(f *testing.F) {
	f.Add([]byte(`{"tool":"echo","left":5,"size":3}`), "gateway.0123456789abcdef0123456789abcdef.7.done")
	f.Add([]byte(`{"kind":"busy","text":"x","causes":["unreachable"],"retryAfter":-1}`), "gateway.x.1")
	f.Add([]byte(`[{"name":"a","input":"{}","output":"["}]`), "hub.offer.")
	f.Add([]byte(`{"Name":"a","Config":{"Type":"stdio","Problem":null},"Left":-4}`), "")
	f.Fuzz(func(t *testing.T, payload []byte, subject string) {
		if c, err := wire.DecodeCall(string(payload)); err == nil {
			if c.Size < 0 || c.Size > wire.MaxPayload || c.Left < 0 || c.Limit < 0 || (c.Tool == "") == (c.Fetch == nil) {
				t.Errorf("call %+v", c)
			}
			if again, err := wire.DecodeCall(c.Encode()); err != nil || !cmp.Equal(c, again) {
				t.Errorf("call %+v changed: %+v, %v", c, again, err)
			}
		}
		if e := wire.DecodeError(payload, toolscript.Error{Server: "s"}); e.Kind == "" || e.Err == nil || e.RetryAfter < 0 || e.Server != "s" {
			t.Errorf("error %#v", e)
		}
		if tools, err := wire.DecodeTools(payload, "s"); err == nil {
			for _, tool := range tools {
				if !json.Valid(tool.InputSchema) || tool.Server != "s" {
					t.Errorf("tool %+v", tool)
				}
			}
		}
		if d, left, err := wire.DecodeDefinition(payload); err == nil {
			if left < 0 || !wire.ValidID(d.Key()) {
				t.Errorf("definition %v, %s", left, d.Key())
			}
		}
		names := wire.HostNames("0123456789abcdef0123456789abcdef")
		if number, ok := names.ParseReply(subject); ok {
			if got, ok := names.ParseReply(names.Reply(number)); !ok || got != number {
				t.Errorf("reply subject %q", subject)
			}
		}
		_, _ = wire.Verb(subject), wire.Last(subject)
		var flow wire.Flow
		in := wire.NewIncoming(min(len(payload), 100), &flow, func() {})
		in.Start()
		_, _ = in.Add(payload)
	})
}

// TestNoRoom checks that a payload is abandoned if the receiver has no room for it for some time.
func TestNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, late := 0, make(chan time.Time, 1)
		o := wire.NewOutgoing(make([]byte, 10*wire.PieceSize), func([]byte) error { return nil }, func() { over++ })
		o.Limit(time.Minute, func() { late <- time.Now() })
		time.Sleep(50 * time.Second)
		if o.Room(1) {
			t.Error("the payload has ended after one piece")
		}
		asked := time.Now()
		if passed := (<-late).Sub(asked); passed != time.Minute {
			t.Errorf("the payload has ended %s after the last room", passed)
		}
		if over != 1 || !o.Room(1) {
			t.Errorf("the end was reported %d times", over)
		}
		waiting := wire.NewOutgoing(make([]byte, 10*wire.PieceSize), func([]byte) error { return nil }, func() {})
		waiting.Limit(time.Minute, func() { t.Error("late, although the receiver is waiting for memory") })
		for range 10 {
			time.Sleep(50 * time.Second)
			waiting.Room(0)
		}
		waiting.Stop()
		whole := wire.NewOutgoing(make([]byte, 1), func([]byte) error { return nil }, func() {})
		whole.Limit(time.Minute, func() { t.Error("late after the end") })
		whole.Room(1)
		time.Sleep(time.Hour)
	})
}

// TestNotUTF8 checks that variables that are not UTF-8 arrive unchanged, and that other such texts
// are refused.
func TestNotUTF8(t *testing.T) {
	cfg := upstream.Config{Type: upstream.Stdio, Command: "x", Dir: "/", Shared: upstream.SharedHost, Environ: []string{"A=\xff", "B=\xfe"}}
	d := wire.Define("a", cfg, "", nil)
	if err := d.Check(); err != nil {
		t.Errorf("variables that are not UTF-8: %v", err)
	}
	back, _, err := wire.DecodeDefinition(d.Encode(0))
	if err != nil || !cmp.Equal(back.Config.Environ, cfg.Environ) || back.Key() != d.Key() {
		t.Errorf("variables %q arrived as %q, %v", cfg.Environ, back.Config.Environ, err)
	}
	cfg.Environ = []string{"A=\xfe", "B=\xff"}
	if wire.Define("a", cfg, "", nil).Key() == d.Key() {
		t.Error("two environments have one key")
	}
	for field, change := range map[string]func(*upstream.Config){
		"Args":    func(c *upstream.Config) { c.Args = []string{"\xff"} },
		"Headers": func(c *upstream.Config) { c.Headers = map[string]string{"a": "\xff"} },
		"Dir":     func(c *upstream.Config) { c.Dir = "/\xff" },
	} {
		wrong := cfg
		change(&wrong)
		if err := wire.Define("a", wrong, "", nil).Check(); err == nil || !strings.Contains(err.Error(), "a text of "+field) || strings.Contains(err.Error(), "\xff") {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// The name of a server in the hub contains digits of its key only if names collide.
func TestConfiguredName(t *testing.T) {
	const key = "0123456789abcdef0123456789abcdef"
	for shown, want := range map[string]string{"a": "a", "a~01234567": "a", "a~" + key: "a", "a~x": "a~x", "a~": "a~", "a~b~0123": "a~b"} {
		if got := (wire.Server{Name: shown, Key: key}).Configured(); got != want {
			t.Errorf("%s: %q, want %q", shown, got, want)
		}
	}
}
