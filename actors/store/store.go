// Package store keeps values of scripts from one run to the next, in files that all gateways
// of a user share: one file for each session, project and user. Gateways open a file for one
// operation only, so that they do not wait for each other. See docs/design/scripts.md.
package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// The bounds of the values of one scope.
const (
	MaxValue = 1 << 20  // bytes of one value as JSON
	MaxScope = 64 << 20 // bytes of all keys and values
	MaxKeys  = 10_000
	MaxKey   = 256 // bytes of a key
)

// The scopes of values.
const (
	Session = "session" // session of the client, or of the gateway for clients without a session
	Project = "project"
	User    = "user"
)

// Runs is the scope of the values of runs with a name: the project, else the session. Their
// keys begin with RunKey.
const (
	Runs   = "project, else session"
	RunKey = "run/"
)

// Calls is the scope of the records of calls with an idempotency key. Runs cannot use it.
const Calls = "calls"

// Scopes are all scopes of runs. DefaultScopes are the scopes that runs may use by default.
var (
	Scopes        = []string{Session, Project, User}
	DefaultScopes = []string{Session, Project}
)

// Options configure the actor. Folder is required.
type Options struct {
	Folder string // folder of the files; created when it is needed

	// Allowed returns the scopes that runs may use; nil: DefaultScopes.
	Allowed func() []string

	// Project returns the folder of the project of a working directory, "" for a directory
	// without a project. Nil: there are no projects.
	Project func(workDir string) (string, error)
}

// Owner identifies the values of a client's runs.
type Owner struct {
	Session string // session of the client; "" means the session of the gateway
	WorkDir string // working directory of the client
}

// The operations of a Request.
const (
	Get    = "get"    // answers with Value and Version
	Set    = "set"    // answers with Stored
	Delete = "delete" // answers with Stored, true if there was a value
	List   = "list"   // answers with Entries
)

// Request is one operation on the values of a scope.
type Request struct {
	Owner
	Op      string
	Scope   string // "" means Session; Runs is possible
	Key     string // for List: the prefix of the keys
	Value   json.RawMessage
	TTL     time.Duration // how long the value is kept; 0: for ever
	Version *uint64       // change the key only if it has this version
}

// Answer is the answer to a Request.
type Answer struct {
	Value   json.RawMessage `json:"value,omitempty"`
	Version uint64          `json:"version,omitempty"` // 0: there is no value
	Stored  bool            `json:"stored,omitempty"`
	Entries []Entry         `json:"entries,omitempty"`
	Scope   string          `json:"-"` // scope of the request; for Runs, the scope that was used
}

// Entry is a value in the answer to List. Times are milliseconds since 1970.
type Entry struct {
	Key     string `json:"key"`
	Bytes   int    `json:"bytes"`
	Updated int64  `json:"updatedAt"`
	Expires int64  `json:"expiresAt,omitempty"` // 0: never
	Version uint64 `json:"-"`
}

// Store is the state of the actor; only Receive touches it.
type Store struct {
	options Options
	life    string // the session of clients without a session
	swept   time.Time
}

// do is a Request with its reply.
type do struct {
	Request
	reply mailbox.Reply[Answer]
}

// New returns the producer of the actor. life names the gateway: the values of clients without
// a session end with it.
func New(o Options, life string) actor.Producer {
	return func() actor.Receiver { return &Store{options: o, life: life} }
}

// Receive handles one message.
func (s *Store) Receive(c *actor.Context) {
	switch m := c.Message().(type) {
	case do:
		m.reply.Send(s.do(m.Request))
	case actor.Stopped:
		s.forget()
	}
}

// waiting bounds a request, including the wait for earlier requests.
const waiting = 30 * time.Second

// Do carries out a request.
func Do(ctx context.Context, at mailbox.Address, q Request) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, waiting)
	defer cancel()
	return mailbox.Ask(ctx, at, func(r mailbox.Reply[Answer]) any { return do{q, r} })
}

func (s *Store) do(q Request) (Answer, error) {
	q.Scope = s.scope(q)
	if err := s.check(q); err != nil {
		return Answer{}, err
	}
	owner, err := s.owner(q)
	if err != nil {
		return Answer{}, err
	}
	a, err := s.carryOut(q, owner)
	a.Scope = q.Scope
	return a, err
}

func (s *Store) carryOut(q Request, owner string) (Answer, error) {
	s.sweep()
	f := file{path: s.path(q.Scope, owner), owner: owner, now: time.Now()}
	switch q.Op {
	case Get:
		return f.get(q.Key)
	case Set:
		return f.set(q)
	case Delete:
		return f.delete(q)
	default:
		return f.list(q.Key)
	}
}

func (s *Store) scope(q Request) string {
	switch q.Scope {
	case "":
		return Session
	case Runs:
		if _, err := s.project(q); err != nil {
			return Session
		}
		return Project
	}
	return q.Scope
}

// check refuses requests that are invalid without a look at the file.
func (s *Store) check(q Request) error {
	if q.Scope == Calls {
		return nil // only the gateway itself uses this scope
	}
	allowed := DefaultScopes
	if s.options.Allowed != nil {
		allowed = s.options.Allowed()
	}
	switch {
	case !slices.Contains(Scopes, q.Scope):
		return invalid("the scopes are %s, not %.40q", strings.Join(Scopes, ", "), q.Scope)
	case !slices.Contains(allowed, q.Scope):
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: fmt.Errorf(
			`runs may not use the scope %s of the store; to allow it, write "store": {"scopes": [%s]} in ~/.toolscript.json`, q.Scope, quoted(append(slices.Clone(allowed), q.Scope)))}
	case q.Op == List:
		return nil
	case q.Key == "" || len(q.Key) > MaxKey || !utf8.ValidString(q.Key):
		return invalid("a key of the store is a text of 1 to %d bytes of UTF-8", MaxKey)
	case q.Op == Set && len(q.Value) == 0:
		return invalid("the value of %.100q is undefined; to remove a value, use store.delete", q.Key)
	case q.Op == Set && !json.Valid(q.Value):
		return invalid("the value of %.100q is not JSON", q.Key)
	case q.Op == Set && len(q.Value) > MaxValue:
		return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the value of %.100q has %d bytes as JSON; the store takes up to %d", q.Key, len(q.Value), MaxValue)}
	case q.TTL < 0:
		return invalid("ttl is a duration above 0, such as 10m")
	}
	return nil
}

func quoted(scopes []string) string {
	texts := make([]string, len(scopes))
	for i, s := range scopes {
		texts[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(texts, ", ")
}

func invalid(format string, args ...any) error {
	return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf(format, args...)}
}

// owner returns the owner of the values: a session, the folder of a project, or "".
func (s *Store) owner(q Request) (string, error) {
	switch {
	case q.Scope == User || q.Scope == Calls:
		return "", nil
	case q.Scope == Session && q.Session != "":
		return q.Session, nil
	case q.Scope == Session:
		return s.life, nil
	}
	return s.project(q)
}

func (s *Store) project(q Request) (string, error) {
	if s.options.Project != nil {
		if folder, err := s.options.Project(q.WorkDir); folder != "" || err != nil {
			return folder, err
		}
	}
	return "", invalid("the client has no working directory and the gateway no project, so the run has none; use the scope session or user")
}

// path returns the path of the file of a scope. It contains only a hash of the name of a session or folder.
func (s *Store) path(scope, owner string) string {
	name := scope
	if owner != "" {
		name += "-" + hash(owner)
	}
	return filepath.Join(s.options.Folder, name+suffix)
}

// errBusy is the answer if another gateway keeps the file open for too long.
var errBusy = &toolscript.Error{
	Kind: toolscript.Busy, RetryAfter: time.Second,
	Err:  errors.New("another gateway holds the file of the store"),
	Next: "try again, or see which gateways run: toolscript gateway list",
}
