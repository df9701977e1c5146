package secrets_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	zalando "github.com/zalando/go-keyring"

	"github.com/toolscript/toolscript/cmd/secrets"
)

const value = "sesame-open-1234"

func newStore(t *testing.T) secrets.Store {
	t.Helper()
	return secrets.Store{Dir: filepath.Join(t.TempDir(), "data", "secrets")}
}

func set(t *testing.T, s secrets.Store, n secrets.New) secrets.Secret {
	t.Helper()
	stored, _, err := s.Set(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func read(t *testing.T, s secrets.Store) *secrets.Book {
	t.Helper()
	b, err := s.Read()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFile: without a keyring, values are stored in a file that is encrypted with the key in the
// folder. Only the user can read either file.
func TestFile(t *testing.T) {
	s := newStore(t)
	if got := read(t, s).List(); len(got) > 0 {
		t.Errorf("a new store has %v", got)
	}
	if stored := set(t, s, secrets.New{Name: "A", Value: value}); stored.Storage != secrets.File {
		t.Errorf("stored in %q", stored.Storage)
	}
	if got, err := read(t, s).Value("A"); err != nil || got != value {
		t.Errorf("Value = %q, %v", got, err)
	}
	entries, err := os.ReadDir(s.Dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("the folder has %v, %v", entries, err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(s.Dir, e.Name()))
		if err != nil || bytes.Contains(text, []byte(value)) || bytes.Contains(text, []byte(`"A"`)) {
			t.Errorf("%s: %v\n%s", e.Name(), err, text)
		}
		if info, err := e.Info(); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(s.Dir); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
	key, err := os.ReadFile(filepath.Join(s.Dir, "key.txt"))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := age.ParseIdentities(bytes.NewReader(key))
	if err != nil || len(ids) != 1 {
		t.Fatalf("the key: %v, %v", ids, err)
	}
	f, err := os.Open(filepath.Join(s.Dir, "secrets.age"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // only read, so an error is harmless
	if _, err := age.Decrypt(f, ids[0]); err != nil {
		t.Errorf("the key does not open the file: %v", err)
	}
}

// TestKeyring: with a keyring, the file does not contain the value, and removing the secret also
// removes it from the keyring.
func TestKeyring(t *testing.T) {
	withKeyring(t)
	s := newStore(t)
	if stored := set(t, s, secrets.New{Name: "A", Value: value}); stored.Storage != secrets.Keyring {
		t.Errorf("stored in %q", stored.Storage)
	}
	item := filepath.Join(s.Dir, "A")
	if got, err := zalando.Get("toolscript", item); err != nil || got != value {
		t.Errorf("the keyring has %q, %v", got, err)
	}
	if got, err := read(t, s).Value("A"); err != nil || got != value {
		t.Errorf("Value = %q, %v", got, err)
	}
	set(t, s, secrets.New{Name: "A", Value: value, Storage: secrets.File})
	if _, err := zalando.Get("toolscript", item); !errors.Is(err, zalando.ErrNotFound) {
		t.Errorf("the keyring still has it: %v", err)
	}
	set(t, s, secrets.New{Name: "A", Value: value})
	if removed, found, err := s.Remove(t.Context(), "A"); err != nil || !found || removed.Name != "A" {
		t.Errorf("Remove = %v, %t, %v", removed, found, err)
	}
	if _, err := zalando.Get("toolscript", item); !errors.Is(err, zalando.ErrNotFound) {
		t.Errorf("the keyring still has it: %v", err)
	}
	set(t, s, secrets.New{Name: "A", Value: value})
	if err := zalando.Delete("toolscript", item); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, s).Value("A"); err == nil || !strings.Contains(err.Error(), "not in the keyring any more") {
		t.Errorf("an item that is gone: %v", err)
	}
}

// TestKeyringIsRequired: --storage keyring does not fall back to the file.
func TestKeyringIsRequired(t *testing.T) {
	s := newStore(t)
	if _, _, err := s.Set(t.Context(), secrets.New{Name: "A", Value: value, Storage: secrets.Keyring}); err == nil || !strings.Contains(err.Error(), "--storage file") {
		t.Errorf("Set = %v", err)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, "secrets.age")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file exists: %v", err)
	}
}

// TestAllowed: a secret is bound to definitions. A new value keeps them; a new definition replaces
// that of the same server in the same file.
func TestAllowed(t *testing.T) {
	s := newStore(t)
	set(t, s, secrets.New{Name: "A", Value: value, Allowed: []secrets.Binding{{Server: "github", File: "/f", Identity: "1"}}})
	allows := func(server, file, identity string) bool {
		t.Helper()
		found, ok := read(t, s).Find("A")
		if !ok {
			t.Fatal("there is no secret")
		}
		return found.Allows(server, file, identity)
	}
	for _, other := range [][3]string{{"gitlab", "/f", "1"}, {"github", "/g", "1"}, {"github", "/f", "2"}} {
		if allows(other[0], other[1], other[2]) {
			t.Errorf("%v may have it", other)
		}
	}
	set(t, s, secrets.New{Name: "A", Value: value + "5"})
	if !allows("github", "/f", "1") {
		t.Error("a new value takes it from its server")
	}
	if err := s.Allow(t.Context(), map[string][]secrets.Binding{"A": {{Server: "github", File: "/f", Identity: "2"}, {Server: "github", File: "/g", Identity: "1"}}}); err != nil {
		t.Fatal(err)
	}
	if allows("github", "/f", "1") || !allows("github", "/f", "2") || !allows("github", "/g", "1") {
		t.Error("Allow does not replace the earlier definition")
	}
	found, _ := read(t, s).Find("A")
	for _, b := range found.Allowed {
		if b.At.IsZero() {
			t.Errorf("%v has no time", b)
		}
	}
	if err := s.Allow(t.Context(), map[string][]secrets.Binding{"B": {{}}}); err == nil {
		t.Error("Allow of a secret that does not exist")
	}
}

// TestDamage: a store that cannot be read is not replaced.
func TestDamage(t *testing.T) {
	for name, tt := range map[string]struct {
		damage func(dir string) error
		want   string
	}{
		"no key":           {func(dir string) error { return os.Remove(filepath.Join(dir, "key.txt")) }, "is missing"},
		"another key":      {func(dir string) error { return otherKey(dir) }, "does not belong to the key"},
		"no key in file":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, "key.txt"), []byte("x"), 0o600) }, "not a file with one key"},
		"another file":     {func(dir string) error { return os.WriteFile(filepath.Join(dir, "secrets.age"), []byte("x"), 0o600) }, "damaged"},
		"a readable key":   {func(dir string) error { return os.Chmod(filepath.Join(dir, "key.txt"), 0o644) }, "chmod 600"},
		"a writable store": {func(dir string) error { return os.Chmod(dir, 0o777) }, "chmod 700"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(tt.want, "chmod") {
				return // the system has no file modes
			}
			s := newStore(t)
			set(t, s, secrets.New{Name: "A", Value: value})
			if err := tt.damage(s.Dir); err != nil {
				t.Fatal(err)
			}
			before, err := os.ReadFile(filepath.Join(s.Dir, "secrets.age"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Read(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read = %v, want %q", err, tt.want)
			}
			if _, _, err := s.Set(t.Context(), secrets.New{Name: "B", Value: value}); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Set = %v, want %q", err, tt.want)
			}
			after, err := os.ReadFile(filepath.Join(s.Dir, "secrets.age"))
			if err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file has changed: %v", err)
			}
		})
	}
}

func otherKey(dir string) error {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "key.txt"), []byte(key.String()+"\n"), 0o600)
}

// TestManyWriters: no change is lost when several processes write at the same time, even if there
// is no key yet.
func TestManyWriters(t *testing.T) {
	s := newStore(t)
	want := map[string]string{}
	var all sync.WaitGroup
	for _, name := range []string{"A", "B", "C", "D", "E", "F"} {
		want[name] = value + name
		all.Go(func() {
			if _, _, err := s.Set(t.Context(), secrets.New{Name: name, Value: value + name}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	got := map[string]string{}
	book := read(t, s)
	for _, found := range book.List() {
		got[found.Name], _ = book.Value(found.Name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestWrongValues: errors about names and values do not contain these texts.
func TestWrongValues(t *testing.T) {
	s := newStore(t)
	for _, wrong := range []secrets.New{
		{Name: "A", Value: ""}, {Name: "A", Value: "hunter2"}, {Name: "A", Value: strings.Repeat("hunter2", 600)}, {Name: "A", Value: "hunter2\x00hunter2"}, {Name: "A", Value: "hunter2\xffhunter2"},
		{Name: "hunter2 hunter2", Value: value}, {Name: "A=hunter2", Value: value}, {Name: "", Value: value}, {Name: "../hunter2", Value: value},
	} {
		if _, _, err := s.Set(t.Context(), wrong); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
