package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/hub"
)

// Place identifies the files of one hub. There is one hub for each data folder, because the
// hub has the logins of that folder, and for each host and PID namespace, because hosts may
// share a home folder.
type Place struct {
	folders []string // candidate folders for the files; the first usable one is taken
	also    string   // additional folder in which other processes look for the entry; "": none
	name    string   // name of the files, without their endings
}

// NewPlace returns the place of the hub of a data folder. The files are in the run folder
// of the data folder, which does not depend on variables, and in a runtime folder only if
// the run folder cannot be used. If TOOLSCRIPT_RUNTIME_DIR is set, they are in its folder,
// and processes without that variable find the entry in the run folder.
func NewPlace(places discovery.Places, dataDir string) Place {
	host, namespace := discovery.Scope()
	sum := sha256.Sum256([]byte(host + "\x00" + namespace + "\x00" + dataDir))
	p := Place{folders: places.Folders(), name: "hub-" + hex.EncodeToString(sum[:4])}
	home := filepath.Join(dataDir, "run")
	if at := slices.Index(p.folders, home); at >= 0 {
		p.folders = slices.Insert(slices.Delete(p.folders, at, at+1), 0, home)
	} else {
		p.also = home
	}
	return p
}

func (p Place) path(folder, ending string) string { return filepath.Join(folder, p.name+ending) }

// Entry describes a running hub.
type Entry struct {
	discovery.Process
	Token     string    `json:"token"` // gateways need it to connect
	Version   string    `json:"version"`
	Protocol  int       `json:"protocol"`
	StartedAt time.Time `json:"startedAt"`
	Socket    string    `json:"socket"`             // absolute path of the socket, or of the named pipe on Windows
	Log       string    `json:"log,omitempty"`      // absolute path of the log file
	Port      int       `json:"port,omitempty"`     // port for NATS clients; 0: none
	Password  string    `json:"password,omitempty"` //nolint:gosec // G117: of the user Operator at Port; only the owner can read the file
}

// Operator is the user name for Entry.Port.
const Operator = "operator"

// String returns a text without the secrets.
func (e Entry) String() string { return "hub (process " + strconv.Itoa(e.PID) + ")" }

// GoString returns a text without the secrets for %#v.
func (e Entry) GoString() string { return e.String() }

// LogValue returns a text without the secrets for logs.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.String()) }

// Read returns the entry of the hub. ok is false if there is no entry, or if its process
// has ended. A folder that other users can write to is an error, because the entry decides
// where definitions with secrets are sent.
func (p Place) Read() (e Entry, ok bool, err error) {
	for _, folder := range p.folders {
		found, running, failed := p.read(folder)
		if running {
			return found, true, nil
		}
		err = errors.Join(err, failed)
	}
	return Entry{}, false, err
}

func (p Place) read(folder string) (e Entry, ok bool, err error) {
	if err := files.CheckPrivateDir(folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Entry{}, false, nil
		}
		return Entry{}, false, fmt.Errorf("runtime folder: %w", err)
	}
	text, err := os.ReadFile(p.path(folder, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return Entry{}, false, nil
	}
	if err != nil {
		return Entry{}, false, fmt.Errorf("file of the hub: %w", err)
	}
	if json.Unmarshal(text, &e) != nil || e.PID < 1 {
		return Entry{}, false, nil //nolint:nilerr // the next hub replaces the file
	}
	if gone, _ := e.Gone(); gone {
		return Entry{}, false, nil
	}
	return e, true, nil
}

// write publishes the entry of this process in the folder of its lock.
func (p Place) write(e Entry, folder string) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := files.Write(p.path(folder, ".json"), text); err != nil {
		return err
	}
	if p.also == "" {
		return nil
	}
	if _, other, err := p.read(p.also); other || err != nil || files.PrivateDir(p.also) != nil {
		return nil //nolint:nilerr // gateways with the same variable find the hub
	}
	_ = files.Write(p.path(p.also, ".json"), text) // see above
	return nil
}

// remove removes the published entry of this process.
func (p Place) remove(e Entry, folder string) error {
	err := os.Remove(p.path(folder, ".json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if p.also == "" {
		return err
	}
	if own, ok, _ := p.read(p.also); ok && own.Process == e.Process {
		err = errors.Join(err, os.Remove(p.path(p.also, ".json")))
	}
	return err
}

// endpoint returns the address at which gateways reach the hub of the entry.
func (e Entry) endpoint() hub.Endpoint {
	return hub.Endpoint{Dial: e.dial, Token: e.Token}
}

// listen returns the socket of the hub and its path, in the first folder that can have a
// socket: a home folder may be on a file system without sockets. The caller holds the lock,
// so an existing socket was left by a killed hub, and is replaced.
func (p Place) listen() (listener net.Listener, path string, err error) {
	for _, folder := range p.folders {
		if failed := files.PrivateDir(folder); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		listener, path, failed := listenAt(p.path(folder, ".sock"))
		if failed == nil {
			return listener, path, nil
		}
		err = errors.Join(err, failed)
	}
	return nil, "", err
}

// dial connects to the hub.
func (e Entry) dial(ctx context.Context) (net.Conn, error) { return dialAt(ctx, e.Socket) }
