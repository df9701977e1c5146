package rawio_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/internal/rawio"
)

// forms are the forms of frames of this program, with another bound.
var forms = map[string]rawio.Frames{
	"big endian":         {Order: binary.BigEndian, Most: 64 << 20},
	"big endian, kinds":  {Order: binary.BigEndian, Kinds: true, Most: 64 << 20},
	"little endian":      {Order: binary.LittleEndian, Most: 64 << 20},
	"with kinds, little": {Order: binary.LittleEndian, Kinds: true, Most: 64 << 20},
}

// TestFrames sends frames of all sizes, and reads them with the same form.
func TestFrames(t *testing.T) {
	for name, f := range forms {
		var wire bytes.Buffer
		sizes := []int{0, 1, 200, 1 << 20, 1<<20 + 1, 5 << 20}
		for i, size := range sizes {
			if err := f.Write(&wire, byte(i), bytes.Repeat([]byte{byte(size)}, size)); err != nil {
				t.Fatal(err)
			}
		}
		for i, size := range sizes {
			kind, payload, err := f.Read(&wire)
			if err != nil || f.Kinds && kind != byte(i) || !bytes.Equal(payload, bytes.Repeat([]byte{byte(size)}, size)) {
				t.Errorf("%s: %d, %d bytes, %v; want %d bytes", name, kind, len(payload), err, size)
			}
		}
		if _, _, err := f.Read(&wire); err != io.EOF { //nolint:errorlint // io.EOF itself
			t.Errorf("%s: %v after the last frame, want %v", name, err, io.EOF)
		}
	}
}

// TestBytesOfAFrame fixes the bytes, which other programs read.
func TestBytesOfAFrame(t *testing.T) {
	for name, want := range map[string]string{
		"big endian": "\x00\x00\x00\x02{}", "big endian, kinds": "\x00\x00\x00\x02\x07{}",
		"little endian": "\x02\x00\x00\x00{}", "with kinds, little": "\x02\x00\x00\x00\x07{}",
	} {
		var wire bytes.Buffer
		if err := forms[name].Write(&wire, 7, []byte("{}")); err != nil || wire.String() != want {
			t.Errorf("%s: %q, %v; want %q", name, wire.String(), err, want)
		}
	}
}

func TestFrameTooLong(t *testing.T) {
	f := rawio.Frames{Order: binary.LittleEndian, Kinds: true, Most: 10}
	var wire bytes.Buffer
	var long *rawio.TooLong
	if err := f.Write(&wire, 'v', make([]byte, 11)); !errors.As(err, &long) || wire.Len() != 0 {
		t.Errorf("Write = %v, with %d bytes written", err, wire.Len())
	}
	for _, size := range []int{11, 1<<32 - 1} {
		_, _, err := f.Read(bytes.NewReader(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), 'v')))
		if !errors.As(err, &long) || *long != (rawio.TooLong{Kind: 'v', Size: size, Most: 10}) {
			t.Errorf("Read of %d bytes = %v", size, err)
		}
	}
}

// TestForgedLength checks that a length costs no memory before its bytes arrive.
func TestForgedLength(t *testing.T) {
	f := rawio.Frames{Order: binary.BigEndian, Most: 1 << 30}
	wire := binary.BigEndian.AppendUint32(nil, 1<<30)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := f.Read(bytes.NewReader(append(wire, "only this"...)))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d bytes allocated, %v", used, err)
	}
}

func TestCut(t *testing.T) {
	f := rawio.Frames{Order: binary.BigEndian, Most: 5}
	for b, want := range map[string]string{
		"\x00\x00\x00\x02abcd": "ab|cd", "\x00\x00\x00\x00": "|", "\x00\x00\x00\x05abcde": "abcde|",
		"": "", "\x00\x00\x00": "", "\x00\x00\x00\x02a": "", "\x00\x00\x00\x06abcdef": "", "\xff\xff\xff\xffab": "",
	} {
		payload, rest, found := f.Cut([]byte(b))
		if got := string(payload) + "|" + string(rest); found != (want != "") || found && got != want {
			t.Errorf("Cut(%q) = %q, %v; want %q", b, got, found, want)
		}
	}
}

// FuzzFrames reads any bytes in all forms. What was read is written as the same bytes again.
func FuzzFrames(f *testing.F) {
	for _, wire := range []string{"", "\x00", "\x00\x00\x00\x01\x02{", "\x01\x00\x00\x00\x02{}", "\xff\xff\xff\xff\x00", "\x00\x00\x04\x01x", "\x7f\xff\xff\xff\x00" + strings.Repeat("x", 100)} {
		f.Add([]byte(wire))
	}
	f.Fuzz(func(t *testing.T, wire []byte) {
		for name, form := range forms {
			form.Most = 1 << 10
			in, out := bytes.NewReader(wire), &bytes.Buffer{}
			for {
				kind, payload, err := form.Read(in)
				if err != nil {
					var long *rawio.TooLong
					ended := errors.Is(err, io.EOF) && out.Len() == len(wire) || errors.Is(err, io.ErrUnexpectedEOF) && in.Len() == 0
					if !ended && !(errors.As(err, &long) && long.Size > form.Most) {
						t.Errorf("%s: %v after %d bytes of %d", name, err, out.Len(), len(wire))
					}
					break
				}
				if err := form.Write(out, kind, payload); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.HasPrefix(wire, out.Bytes()) {
				t.Errorf("%s: written again: %x, want the beginning of %x", name, out.Bytes(), wire)
			}
			if payload, rest, found := form.Cut(wire); found && !form.Kinds && !bytes.HasSuffix(wire, append(bytes.Clone(payload), rest...)) {
				t.Errorf("%s: Cut = %x, %x", name, payload, rest)
			}
		}
	})
}
