package search_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript/actors/search"
)

// textsPerTool is the number of texts that are embedded for one vector.
const textsPerTool = 2

// TestGatewaysComputeOnce: searches that start together with one cache compute each
// vector once in all.
func TestGatewaysComputeOnce(t *testing.T) {
	const gateways, tools = 4, 300 // more than one save
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	models := make([]*model, gateways)
	rigs := make([]*rig, gateways)
	for i := range rigs {
		models[i] = &model{}
		rigs[i] = start(t, catalogOf(1, many(tools)...), func(o *search.Options) { o.Model, o.Cache = models[i], file })
	}
	computed := 0
	for i, r := range rigs {
		if now := r.settled(t, 1); now.Vectors != tools {
			t.Errorf("gateway %d has %d vectors", i, now.Vectors)
		}
	}
	for _, m := range models {
		computed += m.count()
	}
	if computed != tools*textsPerTool {
		t.Errorf("%d gateways embedded %d texts for %d tools", gateways, computed, tools)
	}
}

// TestClaimOfAnotherProcess: a search waits for the claim of another process, and reads
// the vectors that it saves.
func TestClaimOfAnotherProcess(t *testing.T) {
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	synctest.Test(t, func(t *testing.T) {
		release, err := file.Claim()
		if err != nil || release == nil {
			t.Fatalf("no claim: %v", err)
		}
		m := &model{}
		r := start(t, catalogOf(1, many(20)...), func(o *search.Options) { o.Model, o.Cache = m, file })
		time.Sleep(10 * time.Second)
		if n := m.count(); n != 0 {
			t.Errorf("%d vectors were computed during the claim", n)
		}
		other := start(t, catalogOf(1, many(5)...), func(o *search.Options) { o.Model, o.Cache, o.Lazy = &model{}, file, true })
		other.engine.Send(other.pid, search.Wake{}) // a lazy search needs no claim
		other.settled(t, 1)
		other.stop() // saves its vectors
		time.Sleep(time.Second)
		if n := r.State().Vectors; n != 5 {
			t.Errorf("%d vectors of another process were read, want 5", n)
		}
		release()
		r.settled(t, 1)
		if n := m.count(); n != 15*textsPerTool {
			t.Errorf("%d texts were embedded for 15 tools", n)
		}
	})
}

// TestClaimThatStandsStill: the claim of a process that saves nothing is ignored after a
// minute.
func TestClaimThatStandsStill(t *testing.T) {
	file := search.VectorFile{Dir: t.TempDir(), Model: "fake-1", Dim: 2}
	synctest.Test(t, func(t *testing.T) {
		release, err := file.Claim()
		if err != nil || release == nil {
			t.Fatalf("no claim: %v", err)
		}
		defer release()
		m := &model{}
		r := start(t, catalogOf(1, many(20)...), func(o *search.Options) { o.Model, o.Cache = m, file })
		time.Sleep(2 * time.Minute)
		if now := r.settled(t, 1); now.Vectors != 20 || m.count() != 20*textsPerTool {
			t.Errorf("%d vectors after two minutes, of %d texts", now.Vectors, m.count())
		}
	})
}
