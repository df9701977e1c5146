package pin

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/toolscript/toolscript"
)

// Record has the pins of one server.
type Record struct {
	Server   string            `json:"server"`            // configured name
	Source   string            `json:"source"`            // the configuration file
	Identity string            `json:"identity"`          // hash of the definition
	Written  string            `json:"written,omitempty"` // ComparedServer.Written, or Foreign after a change by an agent
	Tools    map[string]string `json:"tools"`             // hashes by the server's own names

	// Suspicions are the findings in these tools. Version Scanned of the patterns found them.
	Scanned    int                    `json:"scanned,omitempty"`
	Suspicions []toolscript.Suspicion `json:"suspicions,omitempty"`

	// Texts returns the texts behind the hashes. It is called only to describe a difference.
	Texts func() Texts `json:"-"`
}

// Texts are the readable parts of a Record.
type Texts struct {
	Program string          `json:"program"` // the definition, without secrets
	Tools   map[string]Text `json:"tools"`   // by the server's own names
}

// Text has the pinned parts of one tool.
type Text struct {
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"inputSchema,omitempty"`
	Output      json.RawMessage `json:"outputSchema,omitempty"`
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Skill       json.RawMessage `json:"skill,omitempty"` // a toolscript.Skill; absent for a tool
}

func (r *Record) texts() Texts {
	if r.Texts == nil {
		return Texts{}
	}
	return r.Texts()
}

// Store keeps records. Other processes use it at the same time.
type Store interface {
	// Load returns the record of a server; nil if there is none.
	Load(server, source string) (*Record, error)
	// Update replaces the record of a server by the result of edit, which gets the current
	// record or nil; a nil result changes nothing. Updates of all processes are serialized.
	Update(server, source string, edit func(*Record) *Record) error
	// Same returns the records of a configuration file with this identity.
	Same(source, identity string) ([]*Record, error)
}

// textOf returns the pinned parts of a tool. Schemas are compact: a cache of tool lists
// may have removed white space.
func textOf(t toolscript.Tool) Text {
	text := Text{Title: t.Title, Description: t.Description, Input: compact(t.InputSchema), Output: compact(t.OutputSchema)}
	if annotations, _ := json.Marshal(t.Annotations); string(annotations) != "{}" { // pointers to bool always encode
		text.Annotations = annotations
	}
	if t.Skill != nil {
		skill := *t.Skill
		skill.Frontmatter = compact(skill.Frontmatter)
		text.Skill, _ = json.Marshal(skill) // the frontmatter is JSON
	}
	return text
}

// compact returns a schema as encoding/json writes it, so that a schema from a server and from a
// cache are equal. It keeps the order of the members.
func compact(schema json.RawMessage) json.RawMessage {
	if len(schema) == 0 || string(schema) == "null" { // a cache stores null for a missing schema
		return nil
	}
	text, err := json.Marshal(schema)
	if err != nil { // the schema is not JSON
		text, _ = json.Marshal(string(schema)) // a string always encodes
	}
	return text
}

// hash returns the hash of the pinned parts of a tool.
func (t Text) hash() string {
	h := sha256.New()
	parts := []string{t.Title, t.Description, string(t.Input), string(t.Output), string(t.Annotations)}
	if t.Skill != nil {
		parts = append(parts, string(t.Skill))
	}
	for _, part := range parts {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part)))) // a hash never fails
		_, _ = h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashOf returns the hash of the definition of a server.
func hashOf(identity string) string {
	sum := sha256.Sum256([]byte(identity))
	return hex.EncodeToString(sum[:16])
}

// sentences puts each sentence on a line, so that a difference is short.
func sentences(text string) string { return strings.ReplaceAll(text, ". ", ".\n") }

// Foreign is the value of Written after a command of an agent has changed the file of a server.
// The next change of the definition is then reported, until a person accepts it.
const Foreign = "foreign"
