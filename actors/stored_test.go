package actors_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/store"
)

// withStore starts a System with values in a folder; the project of a/x is a.
func withStore(t *testing.T, folder string, o actors.Options) *actors.System {
	t.Helper()
	o.Store = &store.Options{Folder: folder, Project: func(dir string) (string, error) {
		if dir == "" {
			return "", nil
		}
		return filepath.Dir(dir), nil
	}}
	return startWith(t, o)
}

func keep(t *testing.T, s *actors.System, q store.Request, value string) {
	t.Helper()
	q.Op, q.Value = store.Set, json.RawMessage(value)
	if _, err := actors.Stored(s, t.Context(), q); err != nil {
		t.Fatal(err)
	}
}

func storeTypes(t *testing.T, s *actors.System, q toolscript.StoreQuery) string {
	t.Helper()
	types, err := s.StoreTypes(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return types.Types
}

var (
	mine   = store.Owner{Session: "mine", WorkDir: "/a/x"}
	values = toolscript.StoreQuery{Form: toolscript.StoreValues, Session: "mine", Cwd: "/a/x"}
)

// TestStoreTypesOfTheClient: a client sees the shapes of the values that it can read, and nothing of other sessions
// and projects, or of a scope that runs may not use.
func TestStoreTypesOfTheClient(t *testing.T) {
	folder := t.TempDir()
	s := withStore(t, folder, actors.Options{})
	keep(t, s, store.Request{Owner: mine, Key: "last"}, `{"at":1}`)
	keep(t, s, store.Request{Owner: mine, Scope: store.Project, Key: "issues"}, `[{"id":1},{"title":"x"}]`)
	keep(t, s, store.Request{Owner: mine, Scope: store.Runs, Key: store.RunKey + "daily"}, `{"total":1}`)
	keep(t, s, store.Request{Owner: store.Owner{Session: "other"}, Key: "secret1"}, `{"secret2":1}`)
	keep(t, s, store.Request{Owner: store.Owner{WorkDir: "/b/x"}, Scope: store.Project, Key: "secret3"}, `{"secret4":1}`)
	text := storeTypes(t, s, values)
	for _, want := range []string{
		`{ at?: number; [key: string]: any } */` + "\n" + `  get(key: "last"`,
		`{ id?: number; title?: string; [key: string]: any }[] */` + "\n" + `  get(key: "issues", options: { scope: "project" })`,
		`{ total?: number; [key: string]: any } */` + "\n" + `  run(name: "daily")`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	if strings.Contains(text, "secret") {
		t.Errorf("values of others:\n%s", text)
	}
	editor := values
	editor.Form = toolscript.StoreDeclarations
	if text := storeTypes(t, s, editor); strings.Contains(text, "last") || !strings.Contains(text, "issues") {
		t.Errorf("the declarations of a folder have values of a session:\n%s", text)
	}
	none := toolscript.StoreQuery{Form: toolscript.StoreValues, Session: "third", Cwd: "/c/x"}
	if text := storeTypes(t, s, none); text != "" {
		t.Errorf("a client without values:\n%s", text)
	}
	if err := os.WriteFile(filepath.Join(folder, "user.db"), []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := storeTypes(t, s, values); again != text {
		t.Errorf("a scope that runs may not use:\n%s", again)
	}
}

// TestStoreTypesFollowTheShapes: the text stays the same after a value of a known shape, and changes after a new
// shape, a deletion or an expiry.
func TestStoreTypesFollowTheShapes(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := withStore(t, folder, actors.Options{})
		keep(t, s, store.Request{Owner: mine, Key: "a"}, `{"n":1}`)
		keep(t, s, store.Request{Owner: mine, Key: "b", TTL: time.Minute}, `"x"`)
		first := storeTypes(t, s, values)
		keep(t, s, store.Request{Owner: mine, Key: "a"}, `{"n":2}`)
		if again := storeTypes(t, s, values); again != first {
			t.Errorf("after a value of the same shape:\n%s\nbefore:\n%s", again, first)
		}
		keep(t, s, store.Request{Owner: mine, Key: "a"}, `[null]`)
		if again := storeTypes(t, s, values); !strings.Contains(again, "null[]") || strings.Contains(again, "n?: number") {
			t.Errorf("after a value of another shape:\n%s", again)
		}
		time.Sleep(time.Minute)
		if again := storeTypes(t, s, values); strings.Contains(again, `"b"`) {
			t.Errorf("after the end of b:\n%s", again)
		}
		if _, err := actors.Stored(s, t.Context(), store.Request{Owner: mine, Op: store.Delete, Key: "a"}); err != nil {
			t.Error(err)
		}
		if again := storeTypes(t, s, values); again != "" {
			t.Errorf("after the deletion:\n%s", again)
		}
	})
}

// TestStoreTypesOfManyValues: keys that begin alike are one entry, the number of entries is
// bounded, and large values are left out when enough is examined.
func TestStoreTypesOfManyValues(t *testing.T) {
	s := withStore(t, t.TempDir(), actors.Options{})
	for i := range 50 {
		keep(t, s, store.Request{Owner: mine, Key: fmt.Sprintf("issue/%d", i)}, fmt.Sprintf(`{"n%d":1}`, i%2))
		keep(t, s, store.Request{Owner: mine, Key: fmt.Sprint("key", i)}, "1")
	}
	text := storeTypes(t, s, values)
	if n := strings.Count(text, "get(key"); n != 40 || !strings.Contains(text, "{ n0?: number; n1?: number; [key: string]: any } */\n  get(key: `issue/${string}`") {
		t.Errorf("%d entries:\n%s", n, text)
	}
	large := `["` + strings.Repeat("x", 1<<20-4) + `"]`
	for i := range 6 {
		keep(t, s, store.Request{Owner: mine, Scope: store.Project, Key: fmt.Sprint("large", i)}, large)
	}
	if text := storeTypes(t, s, values); strings.Count(text, "string[]") != 4 || strings.Count(text, `"large`) != 6 {
		t.Errorf("large values:\n%s", text)
	}
}

func TestStoreTypesSwitchedOff(t *testing.T) {
	folder := t.TempDir()
	s := withStore(t, folder, actors.Options{NoObserve: true})
	keep(t, s, store.Request{Owner: mine, Key: "a"}, "1")
	if text := storeTypes(t, s, values); text != "" {
		t.Errorf("without observation:\n%s", text)
	}
	if text := storeTypes(t, startWith(t, actors.Options{}), toolscript.StoreQuery{}); !strings.Contains(text, "interface Store") {
		t.Errorf("without a store:\n%s", text)
	}
}

// BenchmarkStoreTypes describes 40 values that were examined before.
func BenchmarkStoreTypes(b *testing.B) {
	s := startWith(b, actors.Options{Store: &store.Options{Folder: b.TempDir()}})
	for i := range 40 {
		q := store.Request{Owner: mine, Op: store.Set, Key: fmt.Sprint("key", i), Value: json.RawMessage(`[{"id":1,"title":"x","labels":["a"]}]`)}
		if _, err := actors.Stored(s, b.Context(), q); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := s.StoreTypes(b.Context(), values); err != nil {
			b.Fatal(err)
		}
	}
}
