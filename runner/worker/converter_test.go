package worker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/worker"
)

// conversions are the conversions of the test converters.
var conversions = []worker.Conversion{
	{Name: "echo", Do: func(input []byte, _ worker.Need) ([][]byte, error) { return parts(input), nil }},
	{Name: "fail", Do: func([]byte, worker.Need) ([][]byte, error) {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: errors.New("it is not there")}
	}},
	{Name: "join", Do: func(input []byte, need worker.Need) (out [][]byte, err error) {
		for name := range strings.FieldsSeq(string(input)) {
			part, err := need(name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			out = append(out, part)
		}
		return out, nil
	}},
	{Name: "forever", Do: func(_ []byte, need worker.Need) ([][]byte, error) {
		_, _ = need("begun")
		for n := 0; ; n++ {
			if n < 0 {
				return nil, nil
			}
		}
	}},
	{Name: "grow", Do: func([]byte, worker.Need) ([][]byte, error) {
		held := []byte{1}
		for {
			held = append(held, held...)
		}
	}},
	{Name: "recurse", Do: func(input []byte, _ worker.Need) ([][]byte, error) { return [][]byte{recurse(input)}, nil }},
	{Name: "panic", Do: func(input []byte, _ worker.Need) ([][]byte, error) { return [][]byte{input[:1<<20]}, nil }},
	{Name: "long", Do: func([]byte, worker.Need) ([][]byte, error) { return [][]byte{make([]byte, 40<<20)}, nil }},
}

// parts cuts a text into parts of very different lengths.
func parts(text []byte) (out [][]byte) {
	for n := 0; len(text) > 0; n = (n*3 + 1) % (3 << 20) {
		size := min(n, len(text))
		out, text = append(out, text[:size]), text[size:]
	}
	return out
}

func recurse(input []byte) []byte {
	if len(input) > 1<<40 {
		return input
	}
	return append(recurse(append(input, 'x')), 'x')
}

func startConverter(tb testing.TB) *worker.Converter {
	tb.Helper()
	c, err := worker.StartConverter(tb.Context(), worker.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(c.Close)
	return c
}

// TestConvert checks texts of different lengths as input, as output and as additional input.
func TestConvert(t *testing.T) {
	c := startConverter(t)
	for _, size := range []int{0, 1, 64 << 10, 1 << 20, 1<<20 + 1, 5 << 20} {
		input := bytes.Repeat([]byte("line\n"), size/5+1)[:size]
		output, err := c.Convert(t.Context(), "echo", parts(input), nil, 0)
		if err != nil || !bytes.Equal(output, input) {
			t.Errorf("of %d bytes came %d, %v", size, len(output), err)
		}
		need := func(name string) ([]byte, error) { return append([]byte(name+"\n"), input...), nil }
		output, err = c.Convert(t.Context(), "join", [][]byte{[]byte("a b")}, need, 0)
		if want := slices.Concat([]byte("a\n"), input, []byte("b\n"), input); err != nil || !bytes.Equal(output, want) {
			t.Errorf("of two times %d bytes came %d, %v", size, len(output), err)
		}
	}
}

// TestConversionFails checks errors that the converter survives.
func TestConversionFails(t *testing.T) {
	c := startConverter(t)
	refuse := func(name string) ([]byte, error) { return nil, errors.New(name + " is refused") }
	for _, test := range []struct {
		name, input, want string
		kind              toolscript.Kind
	}{
		{"fail", "", "it is not there", toolscript.NotFound},
		{"join", "a", "a: a is refused", toolscript.Internal},
		{"panic", "", "a fault of toolscript ended the conversion", toolscript.Internal},
		{"none", "", `there is no conversion "none"`, toolscript.Internal},
	} {
		output, err := c.Convert(t.Context(), test.name, [][]byte{[]byte(test.input)}, refuse, 0)
		if toolscript.KindOf(err) != test.kind || !strings.Contains(err.Error(), test.want) || len(output) > 0 {
			t.Errorf("%s: %q, %v (%s)", test.name, output, err, toolscript.KindOf(err))
		}
	}
	if output, err := c.Convert(t.Context(), "echo", [][]byte{[]byte("x")}, nil, 0); err != nil || string(output) != "x" {
		t.Errorf("afterwards: %q, %v", output, err)
	}
}

// TestConversionExceedsItsLimits checks that a conversion that exceeds a limit ends together with
// its process.
func TestConversionExceedsItsLimits(t *testing.T) {
	begun := func(string) ([]byte, error) { return nil, nil }
	limit := worker.ConvertLimit
	worker.ConvertLimit.Work = 3 * time.Second
	defer func() { worker.ConvertLimit = limit }()
	for name, want := range map[string]string{
		"forever": "it took longer than", "grow": "it needed more than 256 MB of memory", "recurse": "it nests too deep", "long": "the result has more than 32 MB",
	} {
		t.Run(name, func(t *testing.T) {
			c := startConverter(t)
			_, err := c.Convert(t.Context(), name, nil, begun, 32<<20)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
			if kind := toolscript.KindOf(err); kind != toolscript.Invalid && kind != toolscript.TooLarge {
				t.Errorf("the error is %s, after which a server would read the document again", kind)
			}
			select {
			case <-c.Done():
			default:
				t.Error("the process still runs")
			}
		})
	}
}

// TestCallerEnds checks that the process is killed when the context of the caller ends, while the
// process computes or waits for input.
func TestCallerEnds(t *testing.T) {
	for _, name := range []string{"forever", "join"} {
		c := startConverter(t)
		ctx, cancel := context.WithCancel(t.Context())
		need := func(string) ([]byte, error) {
			cancel()
			return nil, nil
		}
		_, err := c.Convert(ctx, name, [][]byte{[]byte(strings.Repeat("x ", 1000))}, need, 0)
		if toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("%s: error %v", name, err)
		}
		<-c.Done()
	}
}

// BenchmarkConvert measures the cost of converting a small text.
func BenchmarkConvert(b *testing.B) {
	c := startConverter(b)
	input := bytes.Repeat([]byte("x"), 4<<10)
	for b.Loop() {
		if _, err := c.Convert(b.Context(), "echo", parts(input), nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStartConverter measures the first conversion.
func BenchmarkStartConverter(b *testing.B) {
	for b.Loop() {
		c, err := worker.StartConverter(b.Context(), worker.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Convert(b.Context(), "echo", nil, nil, 0); err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}
