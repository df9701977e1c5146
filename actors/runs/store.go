package runs

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
)

// owner identifies the stored values that a run may use.
func (p *parts) owner() store.Owner {
	return store.Owner{Session: p.request.Session, WorkDir: p.request.Cwd}
}

// storeArgs has the arguments of all calls of the store.
type storeArgs struct {
	Key     string           `json:"key"`
	Prefix  string           `json:"prefix"`
	Name    string           `json:"name"`
	Scope   string           `json:"scope"`
	Value   json.RawMessage  `json:"value"`
	TTL     *json.RawMessage `json:"ttl"`
	Version *uint64          `json:"version"`
}

func (s *calls) storeGet(ctx context.Context, c *runCall) (any, error) {
	return s.store(ctx, store.Get, c.Args)
}

func (s *calls) storeSet(ctx context.Context, c *runCall) (any, error) {
	return s.storeChange(ctx, c, store.Set)
}

func (s *calls) storeDelete(ctx context.Context, c *runCall) (any, error) {
	return s.storeChange(ctx, c, store.Delete)
}

func (s *calls) storeList(ctx context.Context, c *runCall) (any, error) {
	return s.store(ctx, store.List, c.Args)
}

// storeRun returns the value of the last run with a name.
func (s *calls) storeRun(ctx context.Context, c *runCall) (any, error) {
	return s.store(ctx, store.Get, c.Args)
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

// storeChange makes a change; if the run has a plan, it only plans it.
func (s *calls) storeChange(ctx context.Context, c *runCall, op string) (a store.Answer, err error) {
	if s.plan == nil {
		return s.store(ctx, op, c.Args)
	}
	if _, err := s.storeRequest(op, c.Args); err != nil {
		return a, err
	}
	return store.Answer{Stored: true}, s.addToPlan(c, c.ID)
}

func (s *calls) storeRequest(op string, args json.RawMessage) (q store.Request, err error) {
	var given storeArgs
	if err := arguments(args, &given); err != nil {
		return q, err
	}
	q = store.Request{Owner: s.owner(), Op: op, Scope: given.Scope, Key: given.Key + given.Prefix, Value: given.Value, Version: given.Version}
	if given.Name != "" {
		q.Key, q.Scope = store.RunKey+given.Name, cmp.Or(given.Scope, store.Runs)
	}
	if given.TTL != nil {
		q.TTL, err = parseTTL(*given.TTL)
	}
	return q, err
}

func parseTTL(given json.RawMessage) (time.Duration, error) {
	var text string
	ttl, err := time.Duration(0), json.Unmarshal(given, &text)
	if err == nil {
		ttl, err = time.ParseDuration(text)
	}
	if err != nil || ttl <= 0 {
		return 0, &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(`ttl is a duration such as "90s", "10m" or "24h", not %.40s`, given)}
	}
	return ttl, nil
}

// remember stores the value of a run with a name. A failure is only a warning, because the
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
	_, err := w.deps.Store(ctx, store.Request{Owner: w.owner(), Op: store.Set, Scope: store.Runs, Key: store.RunKey + name, Value: value})
	if err != nil {
		w.warn(fmt.Sprintf("the value was not kept as %s: %s", name, strings.TrimSpace(err.Error())))
	}
}

// keepTime bounds the time to store the value of a run with a name.
const keepTime = 10 * time.Second
