package wire

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/rescue"
)

const (
	// KeyLife is how long a KeyStore keeps a record after its last change.
	KeyLife = 15 * time.Minute

	// MaxKeptAnswer is the maximum length in bytes of an answer that is kept.
	MaxKeptAnswer = 512 << 10

	// The record of a call in flight is renewed every renewTime. A record older than staleTime
	// is from a process that has ended. The clocks of hosts differ by less.
	renewTime = 20 * time.Second
	staleTime = time.Minute

	// storeTime bounds an operation of the KeyStore.
	storeTime = 5 * time.Second

	// createTime bounds the creation of a record for which the caller does not wait any more.
	createTime = 30 * time.Second

	// retryTime is the time after which a caller may ask again for a call in flight.
	retryTime = time.Second
)

// ErrKeyExists is wrapped by the error of KeyStore.Create for a name that has a record.
var ErrKeyExists = errors.New("there is a record")

// KeyStore keeps records for KeyLife after their last change. It is shared by all processes that
// can carry out the calls, and safe for concurrent use. The text of its errors is shown to the caller of the tool.
type KeyStore interface {
	// Create adds a record and returns its version. The error wraps ErrKeyExists if the name has
	// one.
	Create(ctx context.Context, name string, record []byte) (version uint64, err error)
	// Read returns a record and its version, or nil if there is none.
	Read(ctx context.Context, name string) (record []byte, version uint64, err error)
	// Update replaces the record with a version and returns the new version.
	Update(ctx context.Context, name string, record []byte, version uint64) (uint64, error)
	// Delete removes the record with a version.
	Delete(ctx context.Context, name string, version uint64) error
}

// KeyedCall is a call with a key. Two calls are the same if all fields are equal.
type KeyedCall struct {
	Server string // identifies the server for all users of the KeyStore
	Tool   string // the server's name for the tool
	Key    string // see toolscript.CheckKey
	Args   json.RawMessage
}

// name returns the name of the record: 64 hexadecimal digits.
func (c KeyedCall) name() string { return digest([]byte(c.Server + "\x00" + c.Tool + "\x00" + c.Key)) }

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// record is the state of the call with a key.
type record struct {
	Args   string          `json:"args"`           // digest of the arguments
	At     time.Time       `json:"at"`             // time of the last change
	Begun  time.Time       `json:"begun"`          // start of the call
	Task   string          `json:"task,omitempty"` // id of the task that the server works on for the call
	Done   bool            `json:"done,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"` // see EncodeError
}

func (r record) encode() []byte {
	r.At = time.Now()
	text, err := json.Marshal(r)
	if err != nil { // the result is not JSON
		r.Result = nil
		r.Error = EncodeError(&toolscript.Error{Kind: toolscript.InvalidResult, Sent: toolscript.SentYes, Err: errors.New("the answer of the server is not JSON")}, "", "")
		text, _ = json.Marshal(r)
	}
	return text
}

// Attempt is the argument of send in DoOnce. It says whether to make the call or to follow a task.
type Attempt struct {
	Task  string            // id of a task of the server to follow in place of a call; "": make the call
	Began func(task string) // must be called when the server works on a task for the call; does not block
}

// DoOnce carries out a call with send, unless s has a record of its key. In that case, DoOnce
// returns the recorded answer or error. The error has the kind Conflict while the call is in flight,
// and Invalid for other arguments. A call whose error says that it was not sent leaves no record. If
// the process that made the call has ended, and the server works on a task for it, send follows the task.
//
// send goes on until the deadline of ctx, even if ctx is cancelled before: the next call with
// the key gets the answer.
func DoOnce(ctx context.Context, s KeyStore, c KeyedCall, send func(context.Context, Attempt) (json.RawMessage, error)) (json.RawMessage, error) {
	var args bytes.Buffer
	if err := json.Compact(&args, c.Args); err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Sent: toolscript.SentNo, Err: err}
	}
	w := &work{store: s, name: c.name(), record: record{Args: digest(args.Bytes()), Begun: time.Now()}, tasks: make(chan string, 1)}
	for range 3 {
		version, err := w.create(ctx)
		if err == nil {
			w.version = version
			return w.carryOut(ctx, send)
		}
		if !errors.Is(err, ErrKeyExists) {
			return nil, unkept(err)
		}
		text, version, err := s.Read(ctx, w.name)
		if err != nil {
			return nil, unkept(err)
		}
		if text == nil { // the call was not sent
			continue
		}
		result, err := w.known(ctx, text)
		if !errors.Is(err, errLeftTask) {
			return result, err
		}
		if w.version, err = s.Update(ctx, w.name, w.record.encode(), version); err != nil {
			return nil, errInFlight(w.record.Begun) // another process follows the task
		}
		return w.carryOut(ctx, send)
	}
	return nil, errInFlight(time.Now())
}

// unkept returns the error of a call that was not made because the KeyStore failed.
func unkept(err error) error {
	e := &toolscript.Error{Kind: toolscript.KindOf(err), Sent: toolscript.SentNo, Err: fmt.Errorf("the call has an idempotency key, but its record cannot be stored: %w", err)}
	if e.Kind != toolscript.Unsupported {
		e.Kind, e.RetryAfter = toolscript.Unavailable, retryTime
	}
	return e
}

func errInFlight(begun time.Time) error {
	return &toolscript.Error{Kind: toolscript.Conflict, Sent: toolscript.SentUnknown, RetryAfter: retryTime, Repeatable: true, Err: fmt.Errorf(
		"a call with this idempotency key is in progress since %s; to get its answer, make the same call again later", begun.UTC().Format(time.RFC3339))}
}

// work is a call that DoOnce carries out.
type work struct {
	store   KeyStore
	name    string
	record  record
	version uint64
	tasks   chan string // receives the task that the server works on
}

// errLeftTask says that the server may still work on a task for a call whose process has ended.
var errLeftTask = errors.New("the task of the call has to be followed")

// create adds the record. If it does not wait for the end of that, it removes the record afterwards: the call is not made, and
// the record would block the key.
func (w *work) create(ctx context.Context) (uint64, error) {
	waiting, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	type created struct {
		version uint64
		err     error
	}
	made, record := make(chan created, 1), w.record.encode()
	go func() {
		c := created{}
		defer func() { made <- c }()
		defer rescue.Into(&c.err)
		own, stop := context.WithTimeout(context.WithoutCancel(ctx), createTime)
		defer stop()
		c.version, c.err = w.store.Create(own, w.name, record)
	}()
	select {
	case c := <-made:
		return c.version, c.err
	case <-waiting.Done():
		go func() {
			defer rescue.Catch(func(*rescue.Error) {}) // the next call with the key is refused
			if c := <-made; c.err == nil {
				w.remove(c.version)
			}
		}()
		return 0, toolscript.ContextError(waiting)
	}
}

// remove removes the record of a call that was not made. If that fails, the next call with the key is refused.
func (w *work) remove(version uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	_ = w.store.Delete(ctx, w.name, version)
}

// known returns the outcome of an earlier call from its record. The error is errInFlight while that call is in
// flight, and errLeftTask if its process has ended and a task of the server has to be followed.
func (w *work) known(ctx context.Context, text []byte) (json.RawMessage, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, unkept(errors.New("its record cannot be read"))
	}
	switch {
	case r.Args != w.record.Args:
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Sent: toolscript.SentNo, Err: errors.New(
			"the idempotency key was used for a call of this tool with other arguments; give each call a key of its own")}
	case r.Done && r.Error != nil:
		return nil, DecodeError(r.Error, toolscript.Error{})
	case r.Done:
		return r.Result, budget.Take(ctx, len(r.Result))
	case time.Since(r.At) > staleTime && r.Task != "":
		w.record = r
		return nil, errLeftTask
	case time.Since(r.At) > staleTime:
		return nil, &toolscript.Error{Kind: toolscript.Unavailable, Sent: toolscript.SentUnknown, Err: fmt.Errorf(
			"the call with this idempotency key began at %s, and the process that made it has ended; %s", r.Begun.UTC().Format(time.RFC3339), toolscript.UnknownOutcome)}
	}
	return nil, errInFlight(r.Begun)
}

// answer is the outcome of a call.
type answer struct {
	result json.RawMessage
	err    error
}

// carryOut makes the call. The answer is stored before the caller gets it.
func (w *work) carryOut(ctx context.Context, send func(context.Context, Attempt) (json.RawMessage, error)) (json.RawMessage, error) {
	held := &budget.Held{}
	detached, cancel := held.In(context.WithoutCancel(ctx)), context.CancelFunc(func() {})
	if deadline, ok := ctx.Deadline(); ok {
		detached, cancel = context.WithDeadline(detached, deadline)
	}
	ended, given := make(chan answer, 1), make(chan answer)
	a := Attempt{Task: w.record.Task, Began: func(task string) {
		select {
		case w.tasks <- task:
		default: // the first one counts
		}
	}}
	go func() { ended <- attempt(detached, send, a) }()
	go func() {
		defer cancel()
		a := w.follow(ended)
		select {
		case given <- a:
		case <-ctx.Done():
			held.Release()
		}
	}()
	select {
	case a := <-given:
		held.Give(ctx)
		held.Release()
		return a.result, a.err
	case <-ctx.Done():
		return nil, toolscript.WithSent(toolscript.ContextError(ctx), toolscript.SentUnknown)
	}
}

// attempt calls send. A panic becomes an error.
func attempt(ctx context.Context, send func(context.Context, Attempt) (json.RawMessage, error), what Attempt) (a answer) {
	defer rescue.Catch(func(p *rescue.Error) {
		a = answer{err: &toolscript.Error{Kind: toolscript.Internal, Sent: toolscript.SentUnknown, Err: p}}
	})
	result, err := send(ctx, what)
	return answer{result, err}
}

// follow renews the record until the call has ended, and records the end.
func (w *work) follow(ended <-chan answer) answer {
	tick := time.NewTicker(renewTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.update()
		case w.record.Task = <-w.tasks:
			w.update()
		case a := <-ended:
			select {
			case w.record.Task = <-w.tasks: // it has begun during an update
				w.update()
			default:
			}
			w.settle(a)
			return a
		}
	}
}

func (w *work) settle(a answer) {
	if kind := toolscript.KindOf(a.err); w.record.Task != "" && (kind == toolscript.Unavailable || kind == toolscript.Busy) {
		return // a later call follows the task
	}
	if a.err != nil && toolscript.SentOf(a.err) == toolscript.SentNo {
		w.remove(w.version)
		return
	}
	w.record.Done = true
	switch {
	case a.err != nil:
		w.record.Error = EncodeError(a.err, "", "")
	case len(a.result) > MaxKeptAnswer:
		w.record.Error = EncodeError(&toolscript.Error{Kind: toolscript.TooLarge, Sent: toolscript.SentYes, Err: fmt.Errorf(
			"the call with this idempotency key was carried out; its answer of %d bytes was given once, because only answers up to %d KB are kept", len(a.result), MaxKeptAnswer>>10)}, "", "")
	default:
		w.record.Result = a.result
	}
	w.update()
}

// update replaces the record. If that fails, the next call with the key is refused: at first as
// in flight, later with an unknown outcome.
func (w *work) update() {
	ctx, cancel := context.WithTimeout(context.Background(), storeTime)
	defer cancel()
	if version, err := w.store.Update(ctx, w.name, w.record.encode(), w.version); err == nil {
		w.version = version
	}
}
