package actors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// once makes a call. It makes a call with an idempotency key only once: a file that all gateways of the user share
// has the state of the call with that key. For a server of a fleet, the hub that carries out the call does the same.
//
// If the gateway that made such a call has ended while the server was working on a task for it, once follows that
// task.
func (s *System) once(ctx context.Context, call *toolscript.Call, tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
	call.Origin.Queue(time.Now())
	send := func(ctx context.Context, a wire.Attempt) (json.RawMessage, error) {
		m := request(call, &tool, args)
		m.Task, m.Began = a.Task, a.Began
		return s.sendAndWait(ctx, tool.Server, m)
	}
	if call.Key == "" {
		return send(ctx, wire.Attempt{})
	}
	if err := toolscript.CheckKey(call.Key); err != nil {
		return nil, err
	}
	config, known := s.Configured()[tool.Server]
	if known && config.Kind().Hub {
		return send(ctx, wire.Attempt{})
	}
	result, err := wire.DoOnce(ctx, callStore{s}, wire.KeyedCall{
		Server: config.Identity(), Tool: tool.Own().Name, Key: call.Key, Args: args,
	}, send)
	return result, about(err, tool)
}

// about adds the tool and its server to an error that names none.
func about(err error, tool toolscript.Tool) error {
	var e *toolscript.Error
	if !errors.As(err, &e) || e.Server != "" {
		return err
	}
	full := *e
	full.Server, full.Tool = tool.Server, tool.Name
	return &full
}

// callStore keeps the records of calls with a key in the store.
type callStore struct{ system *System }

// Create implements wire.KeyStore.
func (c callStore) Create(ctx context.Context, name string, record []byte) (uint64, error) {
	return c.set(ctx, name, record, 0, wire.ErrKeyExists)
}

// Update implements wire.KeyStore.
func (c callStore) Update(ctx context.Context, name string, record []byte, version uint64) (uint64, error) {
	return c.set(ctx, name, record, version, errors.New("the record of the call has changed"))
}

func (c callStore) set(ctx context.Context, name string, record []byte, version uint64, other error) (uint64, error) {
	a, err := c.do(ctx, store.Request{Op: store.Set, Key: name, Value: record, TTL: wire.KeyLife, Version: &version})
	switch {
	case err != nil:
		return 0, fmt.Errorf("store the state of the call: %w", err)
	case !a.Stored:
		return 0, other
	}
	return a.Version, nil
}

// Read implements wire.KeyStore.
func (c callStore) Read(ctx context.Context, name string) ([]byte, uint64, error) {
	a, err := c.do(ctx, store.Request{Op: store.Get, Key: name})
	return a.Value, a.Version, err
}

// Delete implements wire.KeyStore.
func (c callStore) Delete(ctx context.Context, name string, version uint64) error {
	_, err := c.do(ctx, store.Request{Op: store.Delete, Key: name, Version: &version})
	return err
}

func (c callStore) do(ctx context.Context, q store.Request) (store.Answer, error) {
	q.Scope = store.Calls
	return c.system.store(ctx, q)
}
