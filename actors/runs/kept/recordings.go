package kept

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"filippo.io/age"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

const (
	// mostRecordings and mostBytes bound the folder. They are applied before a file is added.
	mostRecordings = 100
	mostBytes      = 512 << 20

	plain     = ".json"
	encrypted = ".json.age"
)

// Recordings is a folder of recordings, with one file for each run. With age keys, the files are
// encrypted. The folder has a bounded size, and the oldest recordings are removed.
type Recordings struct {
	Dir        string
	Recipients []string // public age keys; without keys, the files are not encrypted
}

// fileName matches names of files.
var fileName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^run_[0-9a-f]{16}\.json(\.age)?$`) })

// Save writes a recording.
func (s Recordings) Save(r Recording) error {
	if !runID().MatchString(r.Job.RunID) {
		return fmt.Errorf("%.50q is not the id of a run", r.Job.RunID)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	name := r.Job.RunID + plain
	if len(s.Recipients) > 0 {
		name = r.Job.RunID + encrypted
		if text, err = s.encrypt(text); err != nil {
			return err
		}
	}
	if err := files.PrivateDir(s.Dir); err != nil {
		return err
	}
	s.forget()
	return files.Write(filepath.Join(s.Dir, name), text)
}

func (s Recordings) encrypt(text []byte) ([]byte, error) {
	var to []age.Recipient
	for _, key := range s.Recipients {
		recipient, err := age.ParseX25519Recipient(key)
		if err != nil {
			return nil, fmt.Errorf("audit.recipients of the configuration: %w", err)
		}
		to = append(to, recipient)
	}
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to...)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	return out.Bytes(), err
}

// Load reads the recording of a run. identity is the path of a file with private age keys,
// or "".
func (s Recordings) Load(id, identity string) (r Recording, err error) {
	missing := &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf(
		"run %.50q is not recorded; record a run with: toolscript exec --record", id)}
	if !runID().MatchString(id) {
		return r, missing
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, id+plain)) //nolint:gosec // G304: the id has the form of a run's
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = os.ReadFile(filepath.Join(s.Dir, id+encrypted)); err == nil { //nolint:gosec // G304: as above
			if text, err = decrypt(text, identity); err != nil {
				return r, err
			}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return r, missing
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("the recording of %s is damaged: %w", id, err)
	}
	if r.Version != RecordingVersion {
		return r, fmt.Errorf("the recording of %s has version %d of the format, and this program reads %d", id, r.Version, RecordingVersion)
	}
	return r, nil
}

func decrypt(text []byte, identity string) ([]byte, error) {
	if identity == "" {
		return nil, errors.New("the recording is encrypted; name the file of the key with --identity FILE")
	}
	file, err := os.ReadFile(identity) //nolint:gosec // G304: the file that the user names
	if err != nil {
		return nil, fmt.Errorf("--identity %s: %w", identity, errors.Unwrap(err))
	}
	keys, err := age.ParseIdentities(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("--identity %s is no file of keys of age: %w", identity, err)
	}
	r, err := age.Decrypt(bytes.NewReader(text), keys...)
	if err != nil {
		return nil, fmt.Errorf("the recording cannot be decrypted with %s: %w", identity, err)
	}
	return io.ReadAll(r)
}

// Has reports whether a run is recorded.
func (s Recordings) Has(id string) bool {
	for _, suffix := range []string{plain, encrypted} {
		if _, err := os.Stat(filepath.Join(s.Dir, id+suffix)); err == nil && runID().MatchString(id) {
			return true
		}
	}
	return false
}

// forget deletes the oldest files if the folder is full.
func (s Recordings) forget() {
	files.KeepNewest(s.Dir, fileName().MatchString, mostRecordings-1, mostBytes)
}
