package kept_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/runner"
)

const recordingID = "run_0123456789abcdef"

func made(id string) kept.Recording {
	return kept.Recording{Version: kept.RecordingVersion, Code: "return SECRET", Job: runner.Job{RunID: id}, Calls: []kept.RecordedCall{}}
}

// TestEncrypted reads a recording with its key, without a key, and with another key.
func TestEncrypted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	var keys [2]string
	var recipient string
	for i := range keys {
		key, err := age.GenerateX25519Identity()
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(keys[i], []byte("# a key\n"+key.String()+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			recipient = key.Recipient().String()
		}
	}
	store := kept.Recordings{Dir: dir, Recipients: []string{recipient}}
	if err := store.Save(made(recordingID)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, recordingID+".json.age"))
	if err != nil || bytes.Contains(text, []byte("SECRET")) {
		t.Fatalf("the file is not encrypted, %v: %.100s", err, text)
	}
	if r, err := store.Load(recordingID, keys[0]); err != nil || r.Code != "return SECRET" {
		t.Errorf("Load with the key = %+v, %v", r, err)
	}
	if _, err := store.Load(recordingID, ""); err == nil || !strings.Contains(err.Error(), "--identity FILE") {
		t.Errorf("Load without a key: %v", err)
	}
	if _, err := store.Load(recordingID, keys[1]); err == nil || !strings.Contains(err.Error(), "cannot be decrypted") {
		t.Errorf("Load with another key: %v", err)
	}
	none := filepath.Join(t.TempDir(), "none")
	if _, err := store.Load(recordingID, none); err == nil || !strings.Contains(err.Error(), "--identity "+none+": no such file") {
		t.Errorf("Load with a file of a key that does not exist: %v", err)
	}
	store.Recipients = []string{"age1nonsense"}
	if err := store.Save(made("run_0123456789abcdee")); err == nil {
		t.Error("a wrong recipient was taken, or the file is not encrypted")
	}
}

func TestPlain(t *testing.T) {
	store := kept.Recordings{Dir: filepath.Join(t.TempDir(), "recordings")}
	if store.Has(recordingID) {
		t.Error("Has before Save")
	}
	if err := store.Save(made(recordingID)); err != nil {
		t.Fatal(err)
	}
	if r, err := store.Load(recordingID, ""); err != nil || r.Code != "return SECRET" || !store.Has(recordingID) {
		t.Errorf("Load = %+v, %v", r, err)
	}
	for _, other := range []string{"../" + recordingID, "", "run_1"} {
		if _, err := store.Load(other, ""); toolscript.KindOf(err) != toolscript.NotFound {
			t.Errorf("Load(%q): %v", other, err)
		}
		if err := store.Save(made(other)); err == nil {
			t.Errorf("Save(%q) has no error", other)
		}
	}
}
