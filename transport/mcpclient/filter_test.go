package mcpclient

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// filtered runs a filter with a limit of 100 KB over the output of a server.
func filtered(t *testing.T, output string) (passed string, text []string, refused []int64, err error) {
	t.Helper()
	var to bytes.Buffer
	f := &filter{
		to: &to, limit: 100_000,
		text: func(line []byte) { text = append(text, strings.TrimRight(string(line), "\r\n")) },
		refused: func(candidates iter.Seq[int64], _ reply) bool {
			refused = slices.Collect(candidates)
			return len(refused) > 0 && !slices.Contains(refused, 404)
		},
	}
	err = f.run(iotest.HalfReader(strings.NewReader(output)))
	return to.String(), text, refused, err
}

func TestFilter(t *testing.T) {
	exact := `{"a":"` + strings.Repeat("x", 99_991) + "\"}\n"
	for _, tt := range []struct {
		name, output, passed string
		text                 []string
	}{
		{"messages", "{\"a\":1}\n {\"b\":2}\r\n{}\n", "{\"a\":1}\n {\"b\":2}\r\n{}\n", nil},
		{"text between messages", "npm warn\n{\"a\":1}\n\n[INFO] x\n{\"b\":2}\n", "{\"a\":1}\n{\"b\":2}\n", []string{"npm warn", "", "[INFO] x"}},
		{"an object as node prints it", "{ port: 3000 }\n{ \"a\":1}\n", "{ \"a\":1}\n", []string{"{ port: 3000 }"}},
		{"no line break at the end", `{"a":1}`, `{"a":1}`, nil},
		{"a message of exactly the limit", exact, exact, nil},
		{"text beyond the limit", strings.Repeat("y", 300_000) + "\n{\"a\":1}\n", "{\"a\":1}\n", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passed, text, _, err := filtered(t, tt.output)
			if !errors.Is(err, io.EOF) {
				t.Errorf("err = %v, want EOF", err)
			}
			if passed != tt.passed {
				t.Errorf("passed %.200q, want %.200q", passed, tt.passed)
			}
			if diff := cmp.Diff(tt.text, text); diff != "" && tt.text != nil {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFilterRefusesLargeMessages(t *testing.T) {
	large := strings.Repeat("x", 150_000)
	for _, tt := range []struct {
		name, message string
		refused       []int64
		ends          bool
	}{
		{"id in front", `{"jsonrpc":"2.0","id":7,"result":{"a":"` + large + `"}}`, []int64{7}, false},
		{"id behind", `{"result":{"a":"` + large + `"},"jsonrpc":"2.0","id": 8}`, []int64{8}, false},
		{"id behind, across reads", `{"result":{"a":"` + large[:131_050] + `"},"jsonrpc":"2.0","id":9}`, []int64{9}, false},
		{"no id of ours", `{"method":"notifications/message","params":{"data":"` + large + `"}}`, nil, true},
		{"an id of no request", `{"id":404,"result":"` + large + `"}`, []int64{404}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			passed, _, refused, err := filtered(t, tt.message+"\n{\"next\":1}\n")
			if diff := cmp.Diff(tt.refused, refused); diff != "" {
				t.Errorf("refused (-want +got):\n%s", diff)
			}
			if tt.ends {
				if !errors.Is(err, errTooLarge) {
					t.Errorf("err = %v, want %v", err, errTooLarge)
				}
				return
			}
			if passed != "{\"next\":1}\n" {
				t.Errorf("passed %.100q, want the next message only", passed)
			}
		})
	}
}

// A message is passed on completely or not at all, whatever text surrounds it.
func FuzzFilter(f *testing.F) {
	f.Add("npm warn\n", "\n[1]\n")
	f.Add("{ port: 1 }\n\x1b[0m\n", "{\"torn")
	f.Fuzz(func(t *testing.T, before, after string) {
		message := `{"jsonrpc":"2.0","id":1,"result":{}}`
		passed, _, _, _ := filtered(t, before+"\n"+message+"\n"+after)
		if len(before)+len(after) < 50_000 && !strings.Contains("\n"+passed, "\n"+message+"\n") {
			t.Errorf("lost between %q and %q: %q", before, after, passed)
		}
	})
}
