package store_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/anthdm/hollywood/actor"
	"go.etcd.io/bbolt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/store"
	"github.com/toolscript/toolscript/internal/files"
)

// start starts the actor with files in folder.
func start(tb testing.TB, folder, life string) mailbox.Address {
	tb.Helper()
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		tb.Fatal(err)
	}
	l := mailbox.NewLife()
	pid := engine.Spawn(store.New(store.Options{
		Folder: folder, Allowed: func() []string { return store.Scopes },
		Project: projectOf,
	}, life), "store", l.Options("1")...)
	tb.Cleanup(func() { <-engine.Poison(pid).Done() })
	return mailbox.Address{Engine: engine, PID: pid}
}

// projectOf is the folder above a working directory.
func projectOf(dir string) (string, error) {
	if dir == "" {
		return "", nil
	}
	return filepath.Dir(dir), nil
}

func do(tb testing.TB, at mailbox.Address, q store.Request) store.Answer {
	tb.Helper()
	a, err := store.Do(tb.Context(), at, q)
	if err != nil {
		tb.Fatalf("%s %s: %v", q.Op, q.Key, err)
	}
	return a
}

func set(key, value string) store.Request {
	return store.Request{Op: store.Set, Key: key, Value: json.RawMessage(value)}
}

func TestValues(t *testing.T) {
	at := start(t, t.TempDir(), "life")
	get := store.Request{Op: store.Get, Key: "a"}
	if a := do(t, at, get); a.Value != nil || a.Version != 0 {
		t.Errorf("before: %+v", a)
	}
	do(t, at, set("a", `{"n":1}`))
	do(t, at, set("b", `null`))
	first := do(t, at, get)
	if string(first.Value) != `{"n":1}` || first.Version == 0 {
		t.Errorf("got %s, version %d", first.Value, first.Version)
	}
	q := set("a", `2`)
	q.Version = &first.Version
	if a := do(t, at, q); !a.Stored {
		t.Error("the value with the expected version was not changed")
	}
	if a := do(t, at, q); a.Stored {
		t.Error("a value with another version was changed")
	}
	list := do(t, at, store.Request{Op: store.List})
	if len(list.Entries) != 2 || list.Entries[0].Key != "a" || list.Entries[0].Bytes != 1 || list.Entries[1].Key != "b" || list.Entries[0].Expires != 0 {
		t.Errorf("list: %+v", list.Entries)
	}
	if list := do(t, at, store.Request{Op: store.List, Key: "b"}); len(list.Entries) != 1 {
		t.Errorf("list of b: %+v", list.Entries)
	}
	remove := store.Request{Op: store.Delete, Key: "a"}
	if a := do(t, at, remove); !a.Stored {
		t.Error("the first delete found no value")
	}
	if a := do(t, at, remove); a.Stored {
		t.Error("the second delete found a value")
	}
}

// TestOwners: each session, project and user has its own values, and clients without a
// session have those of the gateway, which end with it.
func TestOwners(t *testing.T) {
	folder := t.TempDir()
	owners := []store.Request{
		{Owner: store.Owner{Session: "one"}}, {Owner: store.Owner{Session: "two"}}, {},
		{Scope: store.Project, Owner: store.Owner{WorkDir: "/a/x"}}, {Scope: store.Project, Owner: store.Owner{WorkDir: "/b/x"}}, {Scope: store.User},
	}
	write := func(at mailbox.Address) {
		for i, o := range owners {
			o.Op, o.Key, o.Value = store.Set, "k", json.RawMessage(fmt.Sprint(i))
			do(t, at, o)
		}
	}
	read := func(at mailbox.Address) (got []string) {
		for _, o := range owners {
			o.Op, o.Key = store.Get, "k"
			got = append(got, string(do(t, at, o).Value))
		}
		return got
	}
	t.Run("first gateway", func(t *testing.T) {
		at := start(t, folder, "first")
		write(at)
		if got := strings.Join(read(at), " "); got != "0 1 2 3 4 5" {
			t.Errorf("got %s", got)
		}
	})
	if got := strings.Join(read(start(t, folder, "second")), " "); got != "0 1  3 4 5" {
		t.Errorf("in the next gateway: %s", got)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// TestScopeOfRuns: values of runs with a name belong to the project, else to the session.
func TestScopeOfRuns(t *testing.T) {
	at := start(t, t.TempDir(), "life")
	for dir, want := range map[string]string{"/a/x": store.Project, "": store.Session} {
		q := set(store.RunKey+"daily", "1")
		q.Scope, q.Session, q.WorkDir = store.Runs, "mine", dir
		if a := do(t, at, q); a.Scope != want {
			t.Errorf("in %q: the scope %s, want %s", dir, a.Scope, want)
		}
		q.Op, q.Scope = store.Get, want
		if a := do(t, at, q); string(a.Value) != "1" {
			t.Errorf("in %q: %+v", dir, a)
		}
	}
}

func TestBounds(t *testing.T) {
	at := start(t, t.TempDir(), "life")
	long := strings.Repeat("k", store.MaxKey+1)
	for name, c := range map[string]struct {
		q    store.Request
		kind toolscript.Kind
	}{
		"no key":             {set("", "1"), toolscript.Invalid},
		"long key":           {set(long, "1"), toolscript.Invalid},
		"key without UTF-8":  {set("\xff", "1"), toolscript.Invalid},
		"value without JSON": {set("a", "{"), toolscript.Invalid},
		"large value":        {set("a", `"`+strings.Repeat("x", store.MaxValue)+`"`), toolscript.TooLarge},
		"unknown scope":      {store.Request{Op: store.Get, Key: "a", Scope: "host"}, toolscript.Invalid},
		"no project":         {store.Request{Op: store.Get, Key: "a", Scope: store.Project}, toolscript.Invalid},
		"negative ttl":       {store.Request{Op: store.Set, Key: "a", Value: json.RawMessage("1"), TTL: -1}, toolscript.Invalid},
	} {
		if _, err := store.Do(t.Context(), at, c.q); toolscript.KindOf(err) != c.kind {
			t.Errorf("%s: %v, want the kind %s", name, err, c.kind)
		}
	}
}

// TestFull: a scope holds its maximum of bytes and keys and no more, and expired values make room.
func TestFull(t *testing.T) {
	at := start(t, t.TempDir(), "life")
	value := `"` + strings.Repeat("x", store.MaxValue-2) + `"`
	short := set("short", value)
	short.TTL = 5 * time.Second // long enough for the values below
	begun := time.Now()
	do(t, at, short)
	n := 0
	for ; ; n++ {
		_, err := store.Do(t.Context(), at, set(fmt.Sprintf("large-%d", n), value))
		if err != nil {
			if toolscript.KindOf(err) != toolscript.TooLarge {
				t.Fatal(err)
			}
			break
		}
	}
	if early := time.Since(begun) < short.TTL; early && n != store.MaxScope/store.MaxValue-2 {
		t.Errorf("%d more values of 1 MB fit", n)
	}
	do(t, at, set("large-0", `1`)) // a smaller value fits
	do(t, at, set("another", value[:len(value)-100]+`"`))
}

func TestTimeToLive(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		at := start(t, folder, "life")
		q := set("a", "1")
		q.TTL = time.Minute
		do(t, at, q)
		time.Sleep(time.Minute - time.Second)
		if a := do(t, at, store.Request{Op: store.Get, Key: "a"}); string(a.Value) != "1" {
			t.Errorf("before its end: %+v", a)
		}
		time.Sleep(time.Second)
		if a := do(t, at, store.Request{Op: store.Get, Key: "a"}); a.Value != nil || a.Version != 0 {
			t.Errorf("after its end: %+v", a)
		}
		if a := do(t, at, store.Request{Op: store.List}); len(a.Entries) != 0 {
			t.Errorf("list after its end: %+v", a.Entries)
		}
		none := uint64(0)
		q.Version = &none
		if a := do(t, at, q); !a.Stored {
			t.Error("a value whose time is over still has a version")
		}
	})
}

// TestExpiredCalls: expired answers of calls are removed from the file by the next call that has a key.
func TestExpiredCalls(t *testing.T) {
	folder := t.TempDir()
	at := start(t, folder, "life")
	put := func(key string, ttl time.Duration) {
		q := set(key, `"`+strings.Repeat("x", 100)+`"`)
		q.Scope, q.TTL = store.Calls, ttl
		do(t, at, q)
	}
	put("old", time.Nanosecond)
	put("new", time.Hour)
	var left []string
	if err := files.UseDatabase(filepath.Join(folder, "calls.db"), bbolt.Options{ReadOnly: true}, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			return tx.Bucket([]byte("values")).ForEach(func(key, _ []byte) error {
				left = append(left, string(key))
				return nil
			})
		})
	}); err != nil || !slices.Equal(left, []string{"new"}) {
		t.Errorf("the file has %q, %v, want the new one", left, err)
	}
}

func TestForbiddenScope(t *testing.T) {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		t.Fatal(err)
	}
	pid := engine.Spawn(store.New(store.Options{Folder: t.TempDir()}, "life"), "store", mailbox.NewLife().Options("1")...)
	defer func() { <-engine.Poison(pid).Done() }()
	q := set("a", "1")
	q.Scope = store.User
	if _, err := store.Do(t.Context(), mailbox.Address{Engine: engine, PID: pid}, q); toolscript.KindOf(err) != toolscript.Forbidden {
		t.Errorf("the scope user without configuration: %v", err)
	}
}

func TestDamagedFile(t *testing.T) {
	folder := t.TempDir()
	at := start(t, folder, "life")
	q := set("a", "1")
	q.Scope = store.User
	do(t, at, q)
	if err := os.WriteFile(filepath.Join(folder, "user.db"), []byte(strings.Repeat("no database", 10000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Do(t.Context(), at, q); err == nil || !strings.Contains(err.Error(), "move it away") {
		t.Errorf("error %v", err)
	}
}

// TestFaultyFile: a file that lost its end, or whose pages are overwritten, is a clear error
// and not the end of the gateway, and a new file takes its place.
func TestFaultyFile(t *testing.T) {
	for name, spoil := range map[string]func([]byte) []byte{
		"empty":     func([]byte) []byte { return nil },
		"two pages": func(b []byte) []byte { return b[:2*os.Getpagesize()] },
		"cut off":   func(b []byte) []byte { return b[:2*os.Getpagesize()+100] },
		"overwritten": func(b []byte) []byte {
			for i := 2 * os.Getpagesize(); i < len(b); i++ {
				b[i] = 0xff
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			at := start(t, folder, "life")
			q := set("a", `"`+strings.Repeat("x", 100_000)+`"`)
			q.Scope = store.User
			do(t, at, q)
			path := filepath.Join(folder, "user.db")
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, spoil(bytes.Clone(whole)), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, op := range []string{store.Get, store.Set, store.List, store.Get} {
				q.Op = op
				if _, err := store.Do(t.Context(), at, q); err == nil || !strings.Contains(err.Error(), "is damaged") || !strings.Contains(err.Error(), "mv '"+path) {
					t.Errorf("%s: %v", op, err)
				}
			}
			if err := os.Rename(path, path+".damaged"); err != nil {
				t.Fatal(err)
			}
			q.Op = store.Set
			do(t, at, q)
		})
	}
}

// writerFolder is set in the processes that TestKilledWriters starts.
const writerFolder = "TOOLSCRIPT_TEST_STORE"

func TestMain(m *testing.M) {
	if folder := os.Getenv(writerFolder); folder != "" {
		count(folder)
		return
	}
	os.Exit(m.Run())
}

// count adds 1 to a value again and again, and prints each value that it has stored.
func count(folder string) {
	engine, err := actor.NewEngine(actor.NewEngineConfig())
	if err != nil {
		panic(err)
	}
	pid := engine.Spawn(store.New(store.Options{Folder: folder, Allowed: func() []string { return store.Scopes }}, "life"), "store", mailbox.NewLife().Options("1")...)
	at := mailbox.Address{Engine: engine, PID: pid}
	fmt.Println("ready")
	for {
		if n, err := increment(context.Background(), at); err == nil {
			fmt.Println(n)
		} else if toolscript.KindOf(err) != toolscript.Busy {
			fmt.Println("error:", err)
			return
		}
	}
}

func increment(ctx context.Context, at mailbox.Address) (int, error) {
	for {
		before, err := store.Do(ctx, at, store.Request{Op: store.Get, Scope: store.User, Key: "n"})
		if err != nil {
			return 0, err
		}
		n := 0
		if before.Version != 0 {
			if err := json.Unmarshal(before.Value, &n); err != nil {
				return 0, err
			}
		}
		after, err := store.Do(ctx, at, store.Request{
			Op: store.Set, Scope: store.User, Key: "n", Value: json.RawMessage(fmt.Sprint(n + 1)), Version: &before.Version,
		})
		if err != nil || after.Stored {
			return n + 1, err
		}
	}
}

// TestKilledWriters: processes that count together are killed at any moment. No file is
// damaged, and no count that was answered is lost or made twice.
func TestKilledWriters(t *testing.T) {
	folder := t.TempDir()
	const writers, rounds = 3, 8
	var mu sync.Mutex
	seen := map[string]bool{}
	var work sync.WaitGroup
	for range writers {
		work.Go(func() {
			for round := range rounds {
				c := exec.CommandContext(t.Context(), os.Args[0])
				c.Env = append(os.Environ(), writerFolder+"="+folder)
				out, err := c.StdoutPipe()
				if err != nil {
					t.Error(err)
					return
				}
				if err := c.Start(); err != nil {
					t.Error(err)
					return
				}
				lines := bufio.NewScanner(out)
				for n := 0; lines.Scan(); n++ {
					text := lines.Text()
					mu.Lock()
					switch {
					case strings.HasPrefix(text, "error:"):
						t.Error(text)
					case text != "ready" && seen[text]:
						t.Errorf("%s was counted twice", text)
					}
					seen[text] = true
					mu.Unlock()
					if n == 5+round {
						_ = c.Process.Kill() // it may have ended
					}
				}
				_ = c.Wait() // it was killed
			}
		})
	}
	work.Wait()
	last, err := increment(t.Context(), start(t, folder, "life"))
	if err != nil {
		t.Fatal(err)
	}
	// A writer may have been killed after a change and before it printed it.
	if printed := len(seen) - 1; last <= printed || last > printed+writers*rounds+1 {
		t.Errorf("the count is %d after %d answers and %d kills", last, printed, writers*rounds)
	}
}

func BenchmarkGet(b *testing.B) {
	at := start(b, b.TempDir(), "life")
	do(b, at, set("a", `{"n":1}`))
	for b.Loop() {
		do(b, at, store.Request{Op: store.Get, Key: "a"})
	}
}

func BenchmarkSet(b *testing.B) {
	at := start(b, b.TempDir(), "life")
	for b.Loop() {
		do(b, at, set("a", `{"n":1}`))
	}
}
