package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/mcp"
	"github.com/toolscript/toolscript/test/fixture/heap"
	"github.com/toolscript/toolscript/test/fixture/race"
)

// client is a client over stdio.
type client struct {
	*testing.T
	in  *io.PipeWriter
	out *bufio.Reader
}

type response struct {
	ID    any
	Error struct {
		Code    int
		Message string
	}
}

func onStdio(t *testing.T, o mcp.Options) *client {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := mcp.Serve(context.WithoutCancel(t.Context()), in, out, o)
		_ = out.Close() // a pipe in memory
		ended <- err
	}()
	c := &client{t, toServer, bufio.NewReader(fromServer)}
	t.Cleanup(func() {
		_ = toServer.Close()
		go func() { _, _ = io.Copy(io.Discard, c.out) }()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return c
}

// send writes parts to the input of the server.
func (c *client) send(parts ...string) {
	c.Helper()
	for _, p := range parts {
		if _, err := io.WriteString(c.in, p); err != nil {
			c.Fatal(err)
		}
	}
}

func (c *client) receive() (r response) {
	c.Helper()
	line, err := c.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r)
	}
	if err != nil {
		c.Fatalf("%v: %.300s", err, line)
	}
	return r
}

const ping = `{"jsonrpc":"2.0","id":"p","method":"ping"}` + "\n"

// mustPing checks that the server answers a ping.
func (c *client) mustPing() {
	c.Helper()
	c.send(ping)
	if r := c.receive(); r.ID != "p" || r.Error.Message != "" {
		c.Errorf("ping is answered with %+v", r)
	}
}

// TestLongLines: a line without an end uses little memory, and the request in it is refused.
func TestLongLines(t *testing.T) {
	block := strings.Repeat("x", 1<<20)
	for name, tt := range map[string]struct {
		head, block, tail string
		blocks            int
		want              any
	}{
		"a long line, id first":   {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":"`, block, `"}}`, 120, 7.0},
		"a long line, id last":    {`{"jsonrpc":"2.0","method":"tools/call","params":{"a":"`, block, `"},"id":"7"}`, 120, "7"},
		"a long line without id":  {``, block, ``, 120, nil},
		"a byte too many":         {`{"jsonrpc":"2.0","id":7,"method":"`, block[:1<<20-5], `"}       `, 8, 7.0},
		"many values":             {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[`, strings.Repeat(`[],`, 1<<18), `[]]}`, 9, 7.0},
		"many values, no request": {`{"jsonrpc":"2.0","method":"x","params":{"a":[`, strings.Repeat(`{},`, 1<<18), `[]]}}`, 9, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c := onStdio(t, mcp.Options{})
			stop := heap.Growth()
			go func() {
				_, _ = io.WriteString(c.in, tt.head) // a failure shows in the answer
				for range tt.blocks {
					_, _ = io.WriteString(c.in, tt.block)
				}
				_, _ = io.WriteString(c.in, tt.tail+strings.Repeat(" ", max(0, 9<<20-len(tt.head)-len(tt.tail)-tt.blocks*len(tt.block)))+"\n")
			}()
			if r := c.receive(); r.ID != tt.want || !strings.Contains(r.Error.Message, "more than 8 MB, or too many values") {
				t.Errorf("the answer is %+v", r)
			}
			if peak := stop(); peak > 100<<20 {
				t.Errorf("the line took %d MB", peak>>20)
			}
			c.mustPing()
		})
	}
}

// TestLongestLine: a script of the maximum length fits, even if every character is escaped.
func TestLongestLine(t *testing.T) {
	c := onStdio(t, mcp.Options{Gateway: func(context.Context) (mcp.Gateway, func(), error) { return nil, nil, errors.New("it was read") }, Shown: func(string, string, []byte) {}})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"`, strings.Repeat(`\u0041`, 1<<20), `"}}}`, "\n")
	if line, err := c.out.ReadString('\n'); err != nil || !strings.Contains(line, "it was read") {
		t.Errorf("%.300s, %v", line, err)
	}
}

// TestRequestsInProgress: waiting requests use at most the memory that is reserved for them. Other
// requests are refused at once, and the memory is free again when the requests have ended.
func TestRequestsInProgress(t *testing.T) {
	const size = 2 << 20
	calls := 200
	if race.Enabled || testing.Short() {
		calls = 50 // each line is read slowly
	}
	release := make(chan struct{})
	c := onStdio(t, mcp.Options{
		Gateway: func(ctx context.Context) (mcp.Gateway, func(), error) {
			select {
			case <-release:
			case <-ctx.Done():
			}
			return nil, nil, errors.New("it was read")
		},
		Shown: func(string, string, []byte) {},
	})
	script := strings.Repeat("x", size)
	stop := heap.Growth()
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		for i := range calls {
			_, _ = fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":"n,\"%d,","method":"tools/call","params":{"name":"run_script","arguments":{"code":"%s"}}}`+"\n", i, script)
		}
		_, _ = io.WriteString(c.in, ping) // the ping is answered before the calls
	}()
	refused := 0
	for {
		r := c.receive()
		if r.ID == "p" {
			break
		}
		if refused++; !strings.Contains(r.Error.Message, "use all the memory for requests") || !strings.HasPrefix(fmt.Sprint(r.ID), `n,"`) {
			t.Errorf("the answer is %+v", r)
		}
	}
	<-sent
	if peak := stop(); peak > 400<<20 || refused < calls-20 || refused == calls {
		t.Errorf("the requests took %d MB, and %d of %d were refused", peak>>20, refused, calls)
	}
	close(release)
	for range calls - refused {
		if r := c.receive(); r.Error.Message != "" {
			t.Errorf("the answer is %+v", r)
		}
	}
	c.send(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"run_script","arguments":{"code":"`, script, `"}}}`, "\n")
	if r := c.receive(); r.ID != 9.0 || r.Error.Message != "" {
		t.Errorf("afterwards: %+v", r)
	}
}

// TestLinesThatMightHaveNoResponse: lines that may get no response never use up the memory for requests.
func TestLinesThatMightHaveNoResponse(t *testing.T) {
	times := 20
	if race.Enabled {
		times = 5 // each line is read slowly
	}
	c := onStdio(t, mcp.Options{})
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, `{"jsonrpc":"2.0","id":1,"method":"ping","error":null}`, `{"jsonrpc":"2.0","ID":[1],"Method":"ping"}`,
		`{"jsonrpc":2,"id":1,"method":"tools/call"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{`, ``,
	} {
		var input bytes.Buffer
		for range times {
			input.WriteString(line + strings.Repeat(" ", 2_000_000) + "\n")
		}
		go func() { _, _ = c.in.Write(input.Bytes()) }()
		for range times {
			if r := c.receive(); r.Error.Code != -32600 && r.Error.Code != -32700 {
				t.Fatalf("%s is answered with %+v", line, r)
			}
		}
	}
	c.mustPing()
}
