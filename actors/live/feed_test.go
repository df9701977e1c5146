package live_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/live"
	"github.com/toolscript/toolscript/test/fixture/pace"
)

// open returns a Feed whose actors have no counters.
func open(ctx context.Context) *live.Feed {
	feed := live.NewFeed()
	feed.Open(live.Sources{
		Look:    func(context.Context) []any { return nil },
		Calls:   func() []toolscript.CallEntry { return nil },
		Warn:    func(context.Context) []string { return nil },
		Closing: ctx, Logger: slog.New(slog.DiscardHandler),
	})
	return feed
}

// reads lets a reader read until it has had some events, and returns the id of the last one.
func reads(t *testing.T, feed *live.Feed, after string, most int, view *toolscript.Snapshot) (last string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	last = after
	err := feed.Read(ctx, toolscript.LiveQuery{After: after}, func(events []toolscript.LiveEvent) error {
		for _, e := range events {
			if err := view.Apply(e); err != nil {
				return err
			}
			last = e.ID
			if most--; most == 0 {
				cancel()
				return ctx.Err()
			}
		}
		return nil
	})
	if kind := toolscript.KindOf(err); ctx.Err() == nil || kind != toolscript.Timeout && kind != toolscript.Cancelled && err != context.Canceled { //nolint:errorlint // emit returns it
		t.Fatalf("Read: %v", err)
	}
	return last
}

// going returns what a snapshot shows as not ended, and the number of ended entries.
func going(s toolscript.Snapshot) (all []string, ended int) {
	for _, c := range s.Calls {
		if c.State == toolscript.CallEnded {
			ended++
			continue
		}
		all = append(all, "call "+c.ID)
	}
	for _, a := range s.Actors {
		all = append(all, "actor "+a.ID+" "+a.State)
	}
	for _, a := range s.Attention {
		all = append(all, "attention "+a.ID)
	}
	return all, ended
}

// TestReaderOfRandomChanges lets a reader stop after any event and come back with its id, while actors come and go
// and calls begin and end. It must show the same as a reader that begins.
func TestReaderOfRandomChanges(t *testing.T) {
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			feed := open(t.Context())
			r := rand.New(rand.NewPCG(seed, 0))
			var view toolscript.Snapshot
			last, calls, running := reads(t, feed, "", -1, &view), 0, []toolscript.CallEntry{}
			for round := range 30 {
				for range r.IntN(400) {
					name := fmt.Sprintf("server/%d", r.IntN(5))
					switch r.IntN(6) {
					case 0:
						state := []string{"running", "restarting", "failed"}[r.IntN(3)]
						feed.Put(toolscript.ActorEntry{ID: name, ActorStatus: toolscript.ActorStatus{Name: name, State: state}})
					case 1:
						feed.Remove(toolscript.LiveActor, name)
					case 2, 3:
						calls++
						c := toolscript.CallEntry{CallID: fmt.Sprint(calls), State: toolscript.CallRunning, Since: time.Now()}
						feed.Call(c)
						running = append(running, c)
					default:
						if len(running) > 0 {
							i := r.IntN(len(running))
							c := running[i]
							c.State, running = toolscript.CallEnded, slices.Delete(running, i, i+1)
							feed.Call(c)
						}
					}
				}
				most := -1
				if r.IntN(2) == 0 {
					most = 1 + r.IntN(50)
				}
				last = reads(t, feed, last, most, &view)
				if most > 0 {
					continue
				}
				var fresh toolscript.Snapshot
				reads(t, feed, "", -1, &fresh)
				got, n := going(view)
				want, m := going(fresh)
				if diff := gocmp.Diff(want, got); diff != "" || n != m {
					t.Fatalf("seed %d, round %d: %d ended, want %d\n%s", seed, round, n, m, diff)
				}
			}
		})
	}
}

// TestEntriesOfOneMoment checks that changes within a moment are one event, and that an entry that is put
// again has none.
func TestEntriesOfOneMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := open(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		var got []string
		ended := make(chan error)
		go func() {
			ended <- feed.Read(ctx, toolscript.LiveQuery{}, func(events []toolscript.LiveEvent) error {
				for _, e := range events {
					if e.Type == toolscript.LiveActor {
						got = append(got, string(e.Data))
					}
				}
				return nil
			})
		}()
		put := func(state string) {
			feed.Put(toolscript.ActorEntry{ID: "a", ActorStatus: toolscript.ActorStatus{Name: "a", State: state}})
		}
		time.Sleep(time.Second)
		for i := range 50 {
			put(fmt.Sprint("state", i))
		}
		time.Sleep(time.Second)
		put("state49")
		time.Sleep(time.Second)
		synctest.Wait()
		var entry toolscript.ActorEntry
		if len(got) != 1 || json.Unmarshal([]byte(got[0]), &entry) != nil || entry.State != "state49" {
			t.Errorf("events %v, want one with the last state", got)
		}
		cancel()
		if err := <-ended; toolscript.KindOf(err) != toolscript.Cancelled {
			t.Errorf("Read: %v", err)
		}
	})
}

// TestAttentionAfterTheLastChange checks that the problems that a reader sees follow from the last change, even if it
// comes while those of earlier changes are computed.
func TestAttentionAfterTheLastChange(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	feed := open(ctx)
	put := func(i int, problem string) {
		name := fmt.Sprint("s", i)
		feed.Put(toolscript.ServerEntry{ID: name, ServerStatus: toolscript.ServerStatus{Name: name, State: toolscript.Failed, Error: problem}})
	}
	for i := range 2000 { // the problems take time
		put(i, "broken")
	}
	seen, ended := make(chan string, 1), make(chan error)
	go func() {
		ended <- feed.Read(ctx, toolscript.LiveQuery{}, func(events []toolscript.LiveEvent) error {
			for _, e := range events {
				var a toolscript.Attention
				if e.Type == toolscript.LiveAttention && json.Unmarshal(e.Data, &a) == nil && a.Subject == "server s0" {
					select {
					case <-seen:
					default:
					}
					seen <- a.Problem
				}
			}
			return nil
		})
	}()
	for round := range 20 {
		last, begun := "", time.Now()
		for n := 0; time.Since(begun) < 60*time.Millisecond; n++ {
			last = fmt.Sprintf("problem %d of round %d", n, round)
			put(0, last)
		}
		late := time.After(pace.Limit(5 * time.Second))
		for got := ""; !strings.Contains(got, last); {
			select {
			case got = <-seen:
			case <-late:
				t.Fatalf("the reader sees %q, want %q", got, last)
			}
		}
	}
	cancel()
	<-ended
}

// TestEndOfTheGateway checks that readers get a notice.
func TestEndOfTheGateway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closing, end := context.WithCancel(t.Context())
		feed := open(closing)
		var last toolscript.LiveEvent
		ended := make(chan error)
		go func() {
			ended <- feed.Read(t.Context(), toolscript.LiveQuery{}, func(events []toolscript.LiveEvent) error {
				last = events[len(events)-1]
				return nil
			})
		}()
		synctest.Wait()
		end()
		if err := <-ended; err != nil || last.Type != toolscript.LiveNotice {
			t.Errorf("Read: %v, the last event is %s", err, last.Type)
		}
		if err := feed.Read(t.Context(), toolscript.LiveQuery{}, nil); err == nil {
			t.Error("a reader after the end has no error")
		}
	})
}

// TestLookKeepsWhatWasPutMeanwhile checks that a look that began before a change does not undo it.
func TestLookKeepsWhatWasPutMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := live.NewFeed()
		actor := func(name, state string, messages uint64) toolscript.ActorEntry {
			return toolscript.ActorEntry{ID: name, ActorStatus: toolscript.ActorStatus{Name: name, State: state, Messages: messages}}
		}
		looks := 0
		feed.Open(live.Sources{
			Look: func(context.Context) []any {
				if looks++; looks == 2 {
					feed.Put(actor("a", "restarting", 0))
					feed.Remove(toolscript.LiveActor, "b")
				}
				return []any{actor("a", "running", 7), actor("b", "running", 7), actor("c", "running", 7)}
			},
			Calls:   func() []toolscript.CallEntry { return nil },
			Warn:    func(context.Context) []string { return nil },
			Closing: t.Context(), Logger: slog.New(slog.DiscardHandler),
		})
		feed.Put(actor("a", "running", 0))
		feed.Put(actor("b", "running", 0))
		var view toolscript.Snapshot
		reads(t, feed, "", 1, &view)
		slices.SortFunc(view.Actors, func(a, b toolscript.ActorEntry) int { return cmp.Compare(a.ID, b.ID) })
		if len(view.Actors) != 2 || view.Actors[0].Messages != 7 {
			t.Errorf("actors %+v, want a and b with their counters", view.Actors)
		}
		reads(t, feed, "", 1, &view)
		if len(view.Actors) != 1 || view.Actors[0].State != "restarting" {
			t.Errorf("actors %+v, want a, which was put during the look", view.Actors)
		}
	})
}

// TestCallWithoutID checks that a call in flight without an id, whose end has another one, is not shown as running.
func TestCallWithoutID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := live.NewFeed()
		feed.Open(live.Sources{
			Look: func(context.Context) []any { return nil },
			Calls: func() []toolscript.CallEntry {
				return []toolscript.CallEntry{{Tool: "a__b", State: toolscript.CallRunning}, {Tool: "a__b", CallID: "1", State: toolscript.CallRunning}}
			},
			Warn:    func(context.Context) []string { return nil },
			Closing: t.Context(), Logger: slog.New(slog.DiscardHandler),
		})
		var view toolscript.Snapshot
		reads(t, feed, "", 1, &view)
		if len(view.Calls) != 1 || view.Calls[0].ID != "1" {
			t.Errorf("calls %+v, want the one with an id", view.Calls)
		}
	})
}

// BenchmarkPut measures a change of an entry without a reader.
func BenchmarkPut(b *testing.B) {
	feed := open(b.Context())
	for i := range 200 {
		name := fmt.Sprint("server/", i)
		feed.Put(toolscript.ActorEntry{ID: name, ActorStatus: toolscript.ActorStatus{Name: name}})
	}
	for i := 0; b.Loop(); i++ {
		feed.Put(toolscript.ActorEntry{ID: "server/7", ActorStatus: toolscript.ActorStatus{Name: "server/7", State: "running", Restarts: i}})
	}
}
