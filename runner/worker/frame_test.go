package worker

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/internal/rawio"
	"github.com/toolscript/toolscript/runner"
)

// pipe returns a link that reads the frames it writes.
func pipe() (*link, *bytes.Buffer) {
	var buf bytes.Buffer
	return newLink(&buf), &buf
}

func TestHeaderAndRawBytes(t *testing.T) {
	l, _ := pipe()
	want := stdinHeader{End: true, Err: "a\nb"}
	if err := l.writeJSON(frameStdin, want, []byte("{\n}")); err != nil {
		t.Fatal(err)
	}
	_, payload, err := l.read()
	if err != nil {
		t.Fatal(err)
	}
	var got stdinHeader
	raw, err := split(payload, &got)
	if err != nil || got != want || string(raw) != "{\n}" {
		t.Errorf("split = %+v, %q, %v; want %+v and {\\n}", got, raw, err, want)
	}
}

func FuzzFrame(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, byte(frameCall), '{'})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0})
	f.Add([]byte("\x00\x00\x00\x0f\x07\x00\x00\x00\x01\x01\x00\x00\x00\x04a__b{}"))
	f.Add([]byte("\x00\x00\x00\x14\x07\x00\x00\x00\x01\x02\x00\x00\x00\x04a__b\x00\x00\x00\x01k{}"))
	f.Add([]byte("\x00\x00\x00\x13\x07\x00\x00\x00\x01\x03\x00\x00\x00\x04a__b\x00\x00\x00\x00{}"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		l, out := newLink(bytes.NewBuffer(wire)), &bytes.Buffer{}
		copied := newLink(out)
		read := 0
		for {
			kind, payload, err := l.read()
			if err != nil {
				break
			}
			read += len(frames.AppendHead(nil, 0, 0)) + len(payload)
			call, err := splitCall(payload) // must not panic
			if again := bytes.Join(callFrame(numberOf(call.CallID), call), nil); err == nil && !bytes.Equal(again, payload) {
				t.Errorf("call %+v: encoded again: %x, want %x", call, again, payload)
			}
			if err := copied.write(kind, payload); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out.Bytes(), wire[:read]) {
			t.Errorf("written again: %x, want %x", out.Bytes(), wire[:read])
		}
	})
}

// TestFrameOfACall checks that a frame transports a call unchanged, and that a frame with a missing
// or unknown part is refused.
func TestFrameOfACall(t *testing.T) {
	args := json.RawMessage(`{"a":1}`)
	for _, want := range []runner.Call{
		{CallID: "1", ID: "a__b", Args: args},
		{CallID: "2", ID: "a__b", Args: args, Task: true},
		{CallID: "3", ID: "a__b", Args: args, Key: "order-4711"},
		{CallID: "4294967295", ID: "a__b", Args: args, Task: true, Key: "k"},
	} {
		payload := bytes.Join(callFrame(numberOf(want.CallID), want), nil)
		got, err := splitCall(payload)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		for cut := range len(payload) - len(args) {
			if got, err := splitCall(payload[:cut]); err == nil {
				t.Errorf("%d bytes of %x are %+v", cut, payload, got)
			}
		}
	}
	for name, payload := range map[string]string{
		"an unknown flag": "\x00\x00\x00\x01\x04\x00\x00\x00\x04a__b{}",
		"an empty key":    "\x00\x00\x00\x01\x02\x00\x00\x00\x04a__b\x00\x00\x00\x00{}",
		"a long key":      "\x00\x00\x00\x01\x02\x00\x00\x00\x04a__b\xff\xff\xff\xffk{}",
	} {
		if got, err := splitCall([]byte(payload)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// BenchmarkFrame measures a round trip of 200 bytes to another goroutine.
func BenchmarkFrame(b *testing.B) {
	pair, err := newPair()
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = pair.closeOurs() }()
	theirs := &duplex{in: rawio.New(pair.theirs[0]), out: rawio.New(pair.theirs[1])}
	there, here := newLink(theirs), newLink(pair.conn)
	go func() {
		defer func() { _ = theirs.Close() }()
		for {
			kind, payload, err := there.read()
			if err != nil || there.write(kind, payload) != nil {
				return
			}
		}
	}()
	payload := make([]byte, 200)
	for b.Loop() {
		if err := here.write(frameCall, payload); err != nil {
			b.Fatal(err)
		}
		if _, _, err := here.read(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEndOfARun checks that the value of a run follows its outcome unchanged and must
// be JSON.
func TestEndOfARun(t *testing.T) {
	l, _ := pipe()
	for value, right := range map[string]bool{"": true, `{"a":[1,"<"]}`: true, `{"a":`: false, "1\n2": false} {
		sent := runner.Outcome{ExitCode: 3}
		if value != "" {
			sent.Value = json.RawMessage(value)
		}
		if err := l.writeEnd(sent); err != nil {
			t.Fatal(err)
		}
		kind, payload, err := l.read()
		if err != nil || kind != frameEnd {
			t.Fatalf("read %d, %v", kind, err)
		}
		got, err := splitEnd(payload)
		if right != (err == nil) || got.ExitCode != 3 || right && string(got.Value) != value {
			t.Errorf("%q came as %+v, %v", value, got, err)
		}
	}
}
