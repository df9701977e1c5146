package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/naming"
)

// owner is whose values a run can use.
type owner = store.Owner

// storeArgs are the arguments of all calls of the store.
type storeArgs struct {
	Key     string          `json:"key"`
	Prefix  string          `json:"prefix"`
	Name    string          `json:"name"`
	Scope   string          `json:"scope"`
	Value   json.RawMessage `json:"value"`
	TTL     string          `json:"ttl"`
	Version *uint64         `json:"version"`
}

func (s *calls) storeGet(ctx context.Context, args json.RawMessage) (any, error) {
	return s.store(ctx, store.Get, args)
}

func (s *calls) storeSet(ctx context.Context, args json.RawMessage) (any, error) {
	return s.storeChange(ctx, naming.StoreSet, store.Set, args)
}

func (s *calls) storeDelete(ctx context.Context, args json.RawMessage) (any, error) {
	return s.storeChange(ctx, naming.StoreDelete, store.Delete, args)
}

func (s *calls) storeList(ctx context.Context, args json.RawMessage) (any, error) {
	return s.store(ctx, store.List, args)
}

// storeRun returns the value of the last run with a name.
func (s *calls) storeRun(ctx context.Context, args json.RawMessage) (any, error) {
	return s.store(ctx, store.Get, args)
}

// store carries out one operation.
func (s *calls) store(ctx context.Context, op string, args json.RawMessage) (a store.Answer, err error) {
	q, err := s.storeRequest(op, args)
	if err != nil {
		return a, err
	}
	if s.deps.Store == nil {
		return a, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("this program has no store")}
	}
	return s.deps.Store(ctx, q)
}

// storeChange plans a change if the run has a plan.
func (s *calls) storeChange(ctx context.Context, id, op string, args json.RawMessage) (a store.Answer, err error) {
	if s.plan == nil {
		return s.store(ctx, op, args)
	}
	if _, err := s.storeRequest(op, args); err != nil {
		return a, err
	}
	return store.Answer{Stored: true}, s.plan.add(toolscript.PlannedCall{Tool: id, Args: args})
}

func (s *calls) storeRequest(op string, args json.RawMessage) (q store.Request, err error) {
	var given storeArgs
	if err := arguments(args, &given); err != nil {
		return q, err
	}
	q = store.Request{Owner: s.owner, Op: op, Scope: given.Scope, Key: given.Key + given.Prefix, Value: given.Value, Version: given.Version}
	if given.Name != "" {
		q.Key, q.Scope = store.RunKey+given.Name, cmp.Or(given.Scope, store.Runs)
	}
	if given.TTL == "" {
		return q, nil
	}
	if q.TTL, err = time.ParseDuration(given.TTL); err != nil || q.TTL <= 0 {
		return q, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(`ttl is a duration such as "90s", "10m" or "24h", not %.40q`, given.TTL)}
	}
	return q, nil
}

// remember keeps the value of a run with a name. That it cannot be kept is a warning: the
// script has done its work.
func (w *work) remember(value json.RawMessage) {
	name := w.request.Name
	if name == "" || w.request.Plan || w.request.CheckOnly || w.deps.Store == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), keepTime)
	defer cancel()
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	_, err := w.deps.Store(ctx, store.Request{Owner: w.calls.owner, Op: store.Set, Scope: store.Runs, Key: store.RunKey + name, Value: value})
	if err != nil {
		w.warn(fmt.Sprintf("the value was not kept as %s: %s", name, strings.TrimSpace(err.Error())))
	}
}

// keepTime bounds the end of a run with a name.
const keepTime = 10 * time.Second
