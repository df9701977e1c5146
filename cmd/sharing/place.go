// Package sharing finds, starts and runs the hub: the process that runs the shared
// servers of one user on one host.
package sharing

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
	"strconv"
	"time"

	"github.com/toolscript/toolscript/cmd/config/private"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/sharedfile"
	"github.com/toolscript/toolscript/transport/hub"
)

// Place has the files of one hub. There is one hub for each data folder, because the
// hub has the logins of that folder, and for each host and PID namespace, because a home
// folder may be shared between hosts.
type Place struct {
	folder string // the runtime folder
	name   string // of the files, without their ending
}

// NewPlace returns the place of the hub of a data folder.
func NewPlace(folder discovery.Folder, dataDir string) Place {
	host, namespace := discovery.Scope()
	sum := sha256.Sum256([]byte(host + "\x00" + namespace + "\x00" + dataDir))
	return Place{string(folder), "hub-" + hex.EncodeToString(sum[:4])}
}

func (p Place) path(ending string) string { return filepath.Join(p.folder, p.name+ending) }

// Entry describes a running hub.
type Entry struct {
	discovery.Process
	Token     string    `json:"token"` // what gateways must know
	Version   string    `json:"version"`
	Protocol  int       `json:"protocol"`
	StartedAt time.Time `json:"startedAt"`
	Log       string    `json:"log,omitempty"`      // absolute path of its log file
	Port      int       `json:"port,omitempty"`     // for NATS clients; 0: none
	Password  string    `json:"password,omitempty"` //nolint:gosec // G117: of the user Operator at Port; the file is owner-only
}

// Operator is the name of the user of Entry.Port.
const Operator = "operator"

// String leaves out the secrets.
func (e Entry) String() string { return "hub (process " + strconv.Itoa(e.PID) + ")" }

// GoString leaves out the secrets in %#v.
func (e Entry) GoString() string { return e.String() }

// LogValue leaves out the secrets in the log.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.String()) }

// Read returns the entry of the hub; ok is false if there is none, or if its process has
// ended. A folder that other users can write to is an error, because the entry decides
// where definitions with secrets are sent.
func (p Place) Read() (e Entry, ok bool, err error) {
	if err := private.Check(p.folder); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return Entry{}, false, nil
		}
		return Entry{}, false, fmt.Errorf("runtime folder: %w", err)
	}
	text, err := os.ReadFile(p.path(".json"))
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

// write publishes the entry of this process.
func (p Place) write(e Entry) error {
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return sharedfile.Write(p.path(".json"), text)
}

// remove removes what the hub of the caller has published.
func (p Place) remove() error {
	err := os.Remove(p.path(".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// endpoint is where gateways reach the hub of an entry.
func (p Place) endpoint(e Entry) hub.Endpoint {
	return hub.Endpoint{Dial: p.dial, Token: e.Token}
}

// listen returns the socket of the hub. The caller holds the lock, so a file of that name
// is left of a hub that was killed.
func (p Place) listen() (net.Listener, error) {
	path, err := socketPath(p.path(".sock"))
	if err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", path) //nolint:noctx // a local socket is there at once
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // the folder is private already
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// dial connects to the hub.
func (p Place) dial(ctx context.Context) (net.Conn, error) {
	path, err := socketPath(p.path(".sock"))
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", path)
}
