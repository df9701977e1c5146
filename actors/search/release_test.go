package search_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/actors/search"
)

// TestTheModelIsReleased: the idle model is released, and loaded again when needed.
func TestTheModelIsReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := search.MiniLM(time.Minute)
		defer m.Close()
		r := start(t, catalogOf(1, "read_file", "add"), func(o *search.Options) { o.Model = m })
		if now := r.settled(t, 1); !now.Loaded {
			t.Fatalf("the model is not loaded after indexing: %+v", now)
		}
		time.Sleep(2 * time.Minute)
		if now := r.State(); now.Loaded || now.String() != "hybrid" {
			t.Errorf("two minutes later: loaded %t, state %s", now.Loaded, now)
		}
		if got := r.best(t, "open a document"); got != "hybrid s__read_file" {
			t.Errorf("found %q", got)
		}
		if !r.State().Loaded {
			t.Error("a query did not load the model")
		}
	})
}
