package actors

import (
	"context"
	"errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/store"
)

// store carries out a script's request about stored values, which outlive its run.
func (s *System) store(ctx context.Context, q store.Request) (store.Answer, error) {
	if s.options.Store == nil {
		return store.Answer{}, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New("this program has no store")}
	}
	at, err := s.find(storeID)
	if err != nil {
		return store.Answer{}, err
	}
	return store.Do(ctx, at, q)
}
