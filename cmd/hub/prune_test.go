package hub

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript/cmd/discovery"
)

// TestPrune: files of a hub stay while the lock of its place is held; other files always stay.
func TestPrune(t *testing.T) {
	folder := t.TempDir()
	const name = "hub-0a1b2c3d"
	for _, file := range []string{name + ".json", name + ".sock", name + ".lock", name + ".start", "." + name + ".json.123.tmp", "hub-other", "other"} {
		if err := os.WriteFile(filepath.Join(folder, file), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	prune := func() (removed []string) {
		t.Helper()
		paths, err := Prune(discovery.In(folder))
		if err != nil {
			t.Error(err)
		}
		for _, path := range paths {
			removed = append(removed, filepath.Base(path))
		}
		return removed
	}
	p := Place{folders: []string{folder}, name: name}
	for _, ending := range []string{runLock, startLock} {
		held, err := p.tryLock(ending)
		if err != nil {
			t.Fatal(err)
		}
		if removed := prune(); removed != nil {
			t.Errorf("with %s held, %v were removed", ending, removed)
		}
		held.release()
	}
	want := []string{"." + name + ".json.123.tmp", name + ".json", name + ".sock", name + ".start", name + ".lock"}
	if runtime.GOOS == "windows" {
		want = want[:3]
	}
	if diff := cmp.Diff(want, prune()); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if removed := prune(); removed != nil && runtime.GOOS != "windows" {
		t.Errorf("then removed: %v", removed)
	}
	if removed, err := Prune(discovery.In(folder + "-missing")); removed != nil || err != nil {
		t.Errorf("a missing folder: %v, %v", removed, err)
	}
}

// TestPruneLocks: a lock never has two holders, even while other goroutines remove its file repeatedly.
func TestPruneLocks(t *testing.T) {
	folder := t.TempDir()
	p := Place{folders: []string{folder}, name: "hub-0a1b2c3d"}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var holders atomic.Int32
	var lockers, pruners sync.WaitGroup
	over := make(chan struct{})
	pruners.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := Prune(discovery.In(folder)); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 3 {
		lockers.Go(func() {
			for range 20 {
				held, err := p.lock(ctx, runLock)
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				holders.Add(-1)
				held.release()
			}
		})
	}
	lockers.Wait()
	close(over)
	pruners.Wait()
}
