package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// edge is the number of bytes at each end of an overlong line in which its id is searched.
const edge = 512

// lines is the input and output of a server on stdio. It passes the lines of its input on to mcp-go, which limits
// neither the length of a line nor the requests in progress, and detects the end of each request in the output.
type lines struct {
	in    *bufio.Reader
	room  room
	input []byte // rest of an admitted line; used only by the goroutine that reads

	pass    func(message) bool // answers requests that are not for mcp-go; may be nil
	passing atomic.Int64       // requests that pass answers
	visitor visitor            // used only by the goroutine that reads
	shown   bool               // the gateway lists the session; used only by the goroutine that reads

	writing sync.Mutex
	out     io.Writer

	mu        sync.Mutex
	costs     map[any][]int64            // memory of the requests in progress, by id: a string or a float64
	cancelled map[any]bool               // requests whose responses are dropped
	passed    map[any]context.CancelFunc // requests that pass answers
}

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{in: bufio.NewReaderSize(in, 64<<10), room: newRoom(), out: out, costs: map[any][]int64{}, cancelled: map[any]bool{}, passed: map[any]context.CancelFunc{}}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.input) == 0 {
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		l.input = l.admit(line)
	}
	n := copy(p, l.input)
	l.input = l.input[n:]
	return n, nil
}

// next reads a line with its line break. It answers and skips a line that is too long.
func (l *lines) next() ([]byte, error) {
	for {
		var line, end []byte
		size := 0
		for {
			piece, err := l.in.ReadSlice('\n')
			size += len(piece)
			if size <= maxMessage {
				line = append(line, piece...)
			} else {
				line = line[:min(len(line), edge):edge]
				end = append(end[:copy(end, end[max(0, len(end)-edge):])], piece[max(0, len(piece)-edge):]...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if err != nil && (size == 0 || size > maxMessage) {
				return nil, err
			}
			break // after a last line without a line break, the next read returns the error
		}
		if size <= maxMessage {
			return line, nil
		}
		l.refuse(idIn(line, end), mcp.INVALID_REQUEST, errMessageTooLarge)
	}
}

// requestID matches a member that may be the id of a message.
var requestID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*[,}]`)
})

// idIn searches both ends of a line for an id, and returns it as JSON, or null.
func idIn(head, end []byte) string {
	for _, part := range [][]byte{head, end} {
		if found := requestID().FindSubmatch(part); found != nil && json.Valid(found[1]) {
			return string(found[1])
		}
	}
	return "null"
}

// admit returns a line if mcp-go may read it. It answers other lines itself.
func (l *lines) admit(line []byte) []byte {
	cost := costOf(line)
	if cost > maxCost {
		l.refuse(idIn(line[:min(len(line), edge)], line[max(0, len(line)-edge):]), mcp.INVALID_REQUEST, errMessageTooLarge)
		return nil
	}
	if answer := readable(line); !bytes.Equal(answer, line) {
		line = append(answer, '\n')
	}
	var m message
	if json.Unmarshal(line, &m) != nil {
		l.refuse("null", mcp.PARSE_ERROR, errNoMessage)
		return nil
	}
	id, isRequest := m.key()
	switch {
	case m.Method == "notifications/cancelled" && !isRequest:
		l.cancel(line)
		return line
	case !isRequest:
		return line
	case m.Result != nil || m.Error != nil || id == nil: // mcp-go might not respond to such a message
		l.refuse("null", mcp.INVALID_REQUEST, errNoRequest)
	case m.checkParams() != nil:
		l.refuse(string(m.ID), mcp.INVALID_PARAMS, m.checkParams())
	case !l.begin(id, cost):
		l.refuse(string(m.ID), mcp.INTERNAL_ERROR, errMessagesBusy)
	case l.pass != nil && l.pass(m):
	case m.checkTool() != nil:
		l.answer(refusal(string(m.ID), mcp.INVALID_PARAMS, m.checkTool()))
	default:
		return line
	}
	return nil
}

// answer writes the response to a request that mcp-go did not get.
func (l *lines) answer(response []byte) { _, _ = l.Write(append(response, '\n')) } // the client has gone, which ends the input too

var (
	errNoMessage = errors.New("Parse error") //nolint:staticcheck // ST1005: the wording of JSON-RPC
	errNoRequest = errors.New("this is no request: it has a result or an error, or its id is neither a string nor a number")
)

// key returns the id of a request as a map key, or nil if the id is invalid. isRequest is
// false for notifications, which have no response, and for responses.
func (m message) key() (id any, isRequest bool) {
	if m.Method == "" || len(m.ID) == 0 || string(m.ID) == "null" {
		return nil, false
	}
	var key any
	_ = json.Unmarshal(m.ID, &key) // the id is valid JSON
	switch key.(type) {
	case string, float64:
		return key, true
	}
	return nil, true
}

// begin counts a request until its response is written. It returns false if there is no room.
func (l *lines) begin(id any, cost int64) bool {
	if !l.room.TryAcquire(cost) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.costs[id] = append(l.costs[id], cost)
	return true
}

// cancel drops the response to a request: MCP has none for a cancelled request, but mcp-go
// writes one.
func (l *lines) cancel(line []byte) {
	var m struct{ Params struct{ RequestID any } }
	if json.Unmarshal(line, &m) != nil {
		return
	}
	switch id := m.Params.RequestID.(type) {
	case string, float64:
		l.mu.Lock()
		defer l.mu.Unlock()
		if len(l.costs[id]) > 0 {
			l.cancelled[id] = true
		}
		if stop := l.passed[id]; stop != nil {
			stop()
		}
	}
}

// cancellable returns a context for a request that pass answers. It ends when the client cancels the request.
func (l *lines) cancellable(ctx context.Context, m message) (_ context.Context, done func()) {
	id, _ := m.key()
	ctx, stop := context.WithCancel(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passed[id] = stop
	return ctx, func() {
		stop()
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.passed, id)
	}
}

// Write implements io.Writer. mcp-go writes each message with one call.
func (l *lines) Write(p []byte) (int, error) {
	if l.ended(p) {
		return len(p), nil
	}
	l.writing.Lock()
	defer l.writing.Unlock()
	return l.out.Write(p)
}

// ended stops counting the request that a message answers, if the message is a response. It
// reports whether the request was cancelled.
func (l *lines) ended(p []byte) (cancelled bool) {
	rest, is := bytes.CutPrefix(p, []byte(`{"jsonrpc":"2.0","id":`))
	if !is {
		return false
	}
	var id any
	from := json.NewDecoder(bytes.NewReader(rest))
	if from.Decode(&id) != nil || id == nil {
		return false
	}
	if rest = rest[from.InputOffset():]; !bytes.HasPrefix(rest, []byte(`,"result":`)) && !bytes.HasPrefix(rest, []byte(`,"error":`)) {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if costs := l.costs[id]; len(costs) > 0 {
		l.room.Release(costs[0])
		if l.costs[id] = costs[1:]; len(costs) == 1 {
			delete(l.costs, id)
		}
	}
	cancelled = l.cancelled[id]
	delete(l.cancelled, id)
	return cancelled
}

// notify implements notifier.
func (l *lines) notify(message []byte) {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, _ = l.out.Write(append(message, '\n')) // the client has gone, which ends the input too
}

// refuse answers a message that is not passed on to mcp-go.
func (l *lines) refuse(id string, code int, why error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	_, _ = l.out.Write(append(refusal(id, code, why), '\n')) // the client has gone, which ends the input too
}

// readable returns a message unchanged, unless it is an answer of the client that mcp-go
// cannot read: the question would wait until its limit. The id of such an answer becomes a
// whole number, and an answer that cannot be read at all becomes an error.
func readable(text []byte) []byte {
	var m message
	if json.Unmarshal(text, &m) != nil {
		id := wholeID([]byte(idIn(text, text)))
		if id == "" || bytes.Contains(text, []byte(`"method"`)) || !bytes.Contains(text, []byte(`"result"`)) && !bytes.Contains(text, []byte(`"error"`)) {
			return text
		}
		return unreadable(id)
	}
	id := wholeID(m.ID)
	if m.Method != "" || id == "" || m.Result == nil && m.Error == nil {
		return text
	}
	var failure struct {
		Code    int
		Message string
	}
	var result map[string]json.RawMessage
	switch {
	case m.Error != nil && json.Unmarshal(m.Error, &failure) != nil, m.Error == nil && json.Unmarshal(m.Result, &result) != nil:
		return unreadable(id)
	case id == string(m.ID):
		return text
	case m.Error != nil:
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":` + string(m.Error) + `}`)
	default:
		return []byte(`{"jsonrpc":"2.0","id":` + id + `,"result":` + string(m.Result) + `}`)
	}
}

func unreadable(id string) []byte {
	return []byte(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"the answer of the client cannot be read"}}`)
}

// wholeID returns a request id, a whole number that may be written as 7.0 or "7"; "" if it is not one.
func wholeID(id []byte) string {
	text := strings.TrimSuffix(strings.Trim(string(id), `"`), ".0")
	if _, err := strconv.ParseInt(text, 10, 64); err != nil {
		return ""
	}
	return text
}
