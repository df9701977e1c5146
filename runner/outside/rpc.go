package outside

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxMessage bounds an answer of a language server.
const maxMessage = 32 << 20

// An rpc is the client's end of JSON-RPC 2.0 with a language server. One
// goroutine uses it.
type rpc struct {
	w    io.Writer
	r    *bufio.Reader
	last int // id
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// notify tells the server something.
func (c *rpc) notify(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return c.send(message{Method: method, Params: text})
}

// call asks the server and waits for its answer. The server asks back meanwhile,
// and goes on when it has been answered.
func (c *rpc) call(method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	c.last++
	id := strconv.Itoa(c.last)
	if err := c.send(message{ID: json.RawMessage(id), Method: method, Params: text}); err != nil {
		return err
	}
	for {
		m, err := c.receive()
		switch {
		case err != nil:
			return err
		case m.Method != "" && m.ID != nil:
			err = c.send(message{ID: m.ID, Result: indifferent(m)})
		case m.Method != "" || string(m.ID) != id: // news, or of nobody's question
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error.Message)
		default:
			return json.Unmarshal(m.Result, result)
		}
		if err != nil {
			return err
		}
	}
}

// indifferent answers a question of the server: nothing is configured, and
// everything may be registered.
func indifferent(m message) json.RawMessage {
	var asked struct {
		Items []json.RawMessage `json:"items"`
	}
	if m.Method != "workspace/configuration" || json.Unmarshal(m.Params, &asked) != nil {
		return json.RawMessage("null")
	}
	return json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("null,", len(asked.Items)), ",") + "]")
}

func (c *rpc) send(m message) error {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.w, "Content-Length: %d\r\n\r\n%s", len(text), text)
	return err
}

func (c *rpc) receive() (m message, err error) {
	length := -1
	for {
		line, err := c.r.ReadString('\n')
		if err != nil {
			return m, err
		}
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if value, ok := strings.CutPrefix(line, "Content-Length:"); ok {
			if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
				return m, err
			}
		}
	}
	if length < 0 || length > maxMessage {
		return m, errors.New("the language server sent a message without a length, or one that is too long")
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(c.r, text); err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}
