package search_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/toolscript/toolscript/actors/search"
)

// other is a model of three values. Texts about shells are similar, all others are
// different. It expects queries in another form than documents.
type other struct{ fail atomic.Bool }

func (o *other) ID() string { return "other-1" }
func (o *other) Dim() int   { return 3 }

func (o *other) Embed(_ context.Context, texts []string) ([][]float32, error) {
	var all [][]float32
	for _, text := range texts {
		v := []float32{0, 1, 0}
		if strings.Contains(text, "shell") {
			v = []float32{0, 0, 1}
		}
		all = append(all, v)
	}
	return all, nil
}

func (o *other) EmbedQuery(context.Context, string) ([]float32, error) {
	if o.fail.Load() {
		return nil, errors.New("gone")
	}
	return []float32{0, 0, 1}, nil
}

// TestUse: vectors of two models are never mixed, a failing model makes a query
// lexical, and ModelChanged is enough to return to the first model.
func TestUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, outside := &model{}, &other{}
		r := start(t, catalogOf(1, "open_document", "run_shell"), func(o *search.Options) { o.Model, o.Later = own, true })
		synctest.Wait()
		if now := r.State(); now.Model != "" || !now.Opening || own.count() != 0 {
			t.Errorf("before the first model: %+v, %d texts embedded", now, own.count())
		}
		use := func(want string) {
			t.Helper()
			r.engine.Send(r.pid, search.ModelChanged{})
			synctest.Wait()
			r.settled(t, 1)
			if got := r.best(t, "zzz"); got != want {
				t.Errorf("best is %q, want %q", got, want)
			}
		}
		r.Use(outside, nil)
		use("hybrid s__run_shell")
		outside.fail.Store(true)
		if got := r.best(t, "document"); !strings.HasPrefix(got, "lexical") {
			t.Errorf("with a model that fails: %q", got)
		}
		outside.fail.Store(false)
		if got := r.best(t, "zzz"); got != "hybrid s__run_shell" {
			t.Errorf("with the model again: %q", got)
		}
		r.Use(nil, nil)
		use("hybrid s__run_shell") // the fake model does not count "zzz" as a file
		if now := r.State(); now.Model != "fake-1" || now.Opening || own.count() == 0 {
			t.Errorf("with its own model: %+v", now)
		}
	})
}

// TestUseDuringAStep: vectors of the old model are discarded.
func TestUseDuringAStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := &model{hold: make(chan struct{})}
		r := start(t, catalogOf(1, "open_document", "run_shell"), func(o *search.Options) { o.Model = own })
		synctest.Wait()
		r.Use(&other{}, nil)
		r.engine.Send(r.pid, search.ModelChanged{})
		synctest.Wait()
		close(own.hold)
		synctest.Wait()
		if now := r.State(); now.Model != "other-1" || now.Vectors != 2 || now.Pending != 0 {
			t.Errorf("state %+v", now)
		}
		if got := r.best(t, "zzz"); got != "hybrid s__run_shell" {
			t.Errorf("best is %q", got)
		}
	})
}
