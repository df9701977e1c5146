package minilm_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
)

var (
	_ embedding.Embedder = (*minilm.Engine)(nil)
	_ embedding.Embedder = minilm.Background{}
)

func TestEngineIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := minilm.NewEngine(time.Minute, nil)
		defer e.Close()
		if e.Loaded() {
			t.Fatal("loaded before anybody needs it")
		}
		first := embedOne(t, e, "read a file")
		time.Sleep(50 * time.Second)
		embedOne(t, e, "again") // the minute starts again
		time.Sleep(50 * time.Second)
		synctest.Wait()
		if !e.Loaded() {
			t.Fatal("released 50 s after its last use")
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		if e.Loaded() {
			t.Fatal("still loaded a minute after its last use")
		}
		if far := farthest(first, embedOne(t, e, "read a file")); far != 0 {
			t.Errorf("differs by %g after it was loaded again", far)
		}
	})
}

func TestEngineClose(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	embedOne(t, e, "a")
	e.Close()
	if e.Loaded() {
		t.Error("loaded after Close")
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err == nil {
		t.Error("embeds after Close")
	}
}

// TestEngineCancelled: background work stops between two batches.
func TestEngineCancelled(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Background(func() {}).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want %v", err, context.Canceled)
	}
}

// TestEngineTogether: concurrent calls in foreground and background get the same
// vectors as single calls.
func TestEngineTogether(t *testing.T) {
	e := minilm.NewEngine(0, nil)
	defer e.Close()
	texts := []string{"open a pull request", "close it", "what is the weather in Rome"}
	var want [][]float32
	for _, text := range texts {
		want = append(want, embedOne(t, e, text))
	}
	var wg sync.WaitGroup
	for n := range 6 {
		var embedder embedding.Embedder = e
		if n%3 == 0 {
			embedder = e.Background(func() {})
		}
		wg.Go(func() {
			got, err := embedder.Embed(t.Context(), texts)
			if err != nil {
				t.Error(err)
				return
			}
			for i := range got {
				if far := farthest(got[i], want[i]); !(far < 1e-5) {
					t.Errorf("%q differs by %g", texts[i], far)
				}
			}
		})
	}
	wg.Wait()
}

func embedOne(t *testing.T, e embedding.Embedder, text string) []float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), []string{text})
	if err != nil {
		t.Fatal(err)
	}
	return vectors[0]
}
