package wire

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Definition is a shared server as a gateway defines it. It contains secrets.
type Definition struct {
	Name   string          // name in the configuration of the gateway
	Config upstream.Config // with the complete environment of a stdio server
	Folder string          // folder of the project; empty unless Config.Shared is SharedProject
}

// ofTerminal are variables that differ between the sessions of one user and that a server
// without a terminal has no use for.
var ofTerminal = []string{"TERM", "NO_COLOR", "XDG_CURRENT_DESKTOP", "XDG_SESSION_TYPE"}

// Define returns the definition of a server. host is the environment of the gateway, in the
// form of os.Environ.
func Define(name string, cfg upstream.Config, folder string, host []string) Definition {
	d := Definition{Name: name, Config: cfg}
	if cfg.Kind().Process && cfg.Environ == nil {
		own := func(entry string) bool {
			name, _, _ := strings.Cut(entry, "=")
			_, set := cfg.Env[name]
			return !set && !slices.Contains(cfg.InheritNames, name) && slices.Contains(ofTerminal, name)
		}
		d.Config.Environ = slices.DeleteFunc(mcpclient.Environment(host, cfg), own)
		if d.Config.Environ == nil {
			d.Config.Environ = []string{}
		}
	}
	d.Config.Env, d.Config.InheritEnv, d.Config.InheritNames = nil, false, nil
	if d.Config.Dir == "" && cfg.Kind().Process {
		if d.Config.Dir = folder; cfg.Shared != upstream.SharedProject {
			d.Config.Dir, _ = os.UserHomeDir() // without a home directory, the hub's directory is used
		}
	}
	if cfg.Shared == upstream.SharedProject {
		d.Folder = folder
	}
	return d
}

// Key returns the key of the server: two definitions have the same key if one server can
// serve both. It is a hash, because subjects must not contain secrets.
func (d Definition) Key() string {
	same := d
	if same.Config = d.Config.Connection(); d.Config.Local() {
		same.Name = "" // logins belong to a name
	}
	sum := sha256.Sum256(same.encode())
	return hex.EncodeToString(sum[:])[:idLength]
}

// Check returns an error if a text outside of the environment is not UTF-8: JSON would
// change it.
func (d Definition) Check() error {
	d.Config.Environ = nil
	if at := notUTF8(reflect.ValueOf(d.Config)); at != "" || !utf8.ValidString(d.Name) || !utf8.ValidString(d.Folder) {
		return fmt.Errorf(`a shared server needs texts in UTF-8, and %s is another; correct it, or remove "shared"`, cmp.Or(at, "its name or folder"))
	}
	return nil
}

// notUTF8 returns the name of the first field with a text that is not UTF-8; "" if there
// is none.
func notUTF8(v reflect.Value) string {
	switch v.Kind() { //nolint:exhaustive // other kinds have no text
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return "a text"
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if notUTF8(v.Field(i)) != "" {
				return "a text of " + v.Type().Field(i).Name
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at := notUTF8(v.Index(i)); at != "" {
				return at
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if at := cmp.Or(notUTF8(key), notUTF8(v.MapIndex(key))); at != "" {
				return at
			}
		}
	}
	return ""
}

// String returns the name only.
func (d Definition) String() string { return "definition of " + d.Name }

// GoString keeps secrets out of %#v.
func (d Definition) GoString() string { return d.String() }

// LogValue keeps secrets out of the log.
func (d Definition) LogValue() slog.Value { return slog.StringValue(d.String()) }

// definition is a Definition in JSON. An oauth.Secret would be encoded as a placeholder.
type definition struct {
	Name    string
	Folder  string
	Config  upstream.Config
	Environ [][]byte          // Config.Environ as bytes: variables need not be UTF-8
	Secrets map[string]string // oauth.Config.Secrets
	Left    time.Duration
}

func (d Definition) encode() []byte { return d.Encode(0) }

// Encode encodes the definition for the hub. left is the time that the gateway waits for
// the server.
func (d Definition) Encode(left time.Duration) []byte {
	out := definition{Name: d.Name, Folder: d.Folder, Config: d.Config, Left: left, Secrets: map[string]string{}}
	for name, secret := range d.Config.OAuth.Secrets() {
		out.Secrets[name] = string(*secret)
	}
	out.Config.Problem, out.Config.Settings = nil, upstream.BuiltinSettings{} // a server with a problem is not shared, nor are built-in tools
	if d.Config.Environ != nil {
		out.Environ, out.Config.Environ = make([][]byte, 0, len(d.Config.Environ)), nil
		for _, entry := range d.Config.Environ {
			out.Environ = append(out.Environ, []byte(entry))
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err) // a Config has only texts, numbers, lists and maps
	}
	return text
}

// DecodeDefinition reads a definition and the time that the gateway waits.
func DecodeDefinition(payload []byte) (d Definition, left time.Duration, err error) {
	var in definition
	if err := json.Unmarshal(payload, &in); err != nil {
		return d, 0, err
	}
	d = Definition{Name: in.Name, Config: in.Config, Folder: in.Folder}
	for name, secret := range d.Config.OAuth.Secrets() {
		*secret = oauth.Secret(in.Secrets[name])
	}
	if d.Config.Environ = nil; in.Environ != nil {
		d.Config.Environ = make([]string, 0, len(in.Environ))
		for _, entry := range in.Environ {
			d.Config.Environ = append(d.Config.Environ, string(entry))
		}
	}
	return d, max(in.Left, 0), nil
}

// Offered is the answer to a Definition.
type Offered struct {
	Server string `json:"server"` // name of the server in the hub
	Info   upstream.Info
	Stderr []string `json:"stderr,omitempty"`
	Token  string   `json:"token,omitempty"` // in a fleet: token in the subjects of calls
}
