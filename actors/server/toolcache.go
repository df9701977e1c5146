package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// maxSize is the maximum size of a file, in bytes. The largest known servers list some hundred kilobytes.
const maxSize = 16 << 20

// format must be changed when the content of the files changes.
const format = 6

// ToolLists is a folder with the last tool lists of servers, so that tools are known before their
// servers start. An empty ToolLists stores nothing.
type ToolLists string

// file is the content of a file.
type file struct {
	Format   int               `json:"format"`
	Identity string            `json:"identity"` // hash of the configuration of the server that listed the tools
	Tools    []toolscript.Tool `json:"tools"`

	Instructions string `json:"instructions,omitempty"` // instructions of the server

	// Since has the time when each tool was first listed.
	Since map[string]time.Time `json:"since"`
}

// Recall returns the last tool list of a server with exactly this configuration, or nil.
func (f ToolLists) Recall(name string, cfg upstream.Config) []toolscript.Tool {
	if last, ok := f.Last(name, cfg); ok && !last.Older {
		return last.Tools
	}
	return nil
}

// LastTools is the last tool list of a server.
type LastTools struct {
	Tools []toolscript.Tool
	Older bool // the server had another configuration

	Instructions string // instructions of the server

	// Since has the time when each tool was first listed.
	Since map[string]time.Time
}

// Last reads the last tool list of the server of this name in this configuration file. It
// returns false if the file is missing, damaged, or not this program's.
func (f ToolLists) Last(name string, cfg upstream.Config) (LastTools, bool) {
	if f == "" || files.CheckPrivateDir(string(f)) != nil {
		return LastTools{}, false
	}
	info, err := os.Lstat(f.path(name, cfg))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return LastTools{}, false
	}
	text, err := os.ReadFile(f.path(name, cfg))
	if err != nil {
		return LastTools{}, false
	}
	var kept file
	if json.Unmarshal(text, &kept) != nil || kept.Format != format {
		return LastTools{}, false
	}
	for i := range kept.Tools {
		kept.Tools[i].Server = name
	}
	return LastTools{Tools: kept.Tools, Older: kept.Identity != identity(cfg), Since: kept.Since, Instructions: kept.Instructions}, true
}

// Keep stores the tools of a server, unless they are too large.
func (f ToolLists) Keep(name string, cfg upstream.Config, tools []toolscript.Tool) error {
	if f == "" {
		return nil
	}
	before, _ := f.Last(name, cfg)
	since := make(map[string]time.Time, len(tools))
	for _, t := range tools {
		if at, known := before.Since[t.Name]; known {
			since[t.Name] = at
		} else {
			since[t.Name] = time.Now().UTC().Truncate(time.Second)
		}
	}
	return f.write(name, cfg, file{format, identity(cfg), tools, before.Instructions, since})
}

// Instructions returns the instructions of the server that listed the tools of Recall.
func (f ToolLists) Instructions(name string, cfg upstream.Config) string {
	if last, ok := f.Last(name, cfg); ok && !last.Older {
		return last.Instructions
	}
	return ""
}

// KeepInstructions stores the instructions of a server whose tools Keep has stored.
func (f ToolLists) KeepInstructions(name string, cfg upstream.Config, text string) error {
	last, ok := f.Last(name, cfg)
	if !ok || last.Older || last.Instructions == text {
		return nil
	}
	return f.write(name, cfg, file{format, identity(cfg), last.Tools, text, last.Since})
}

func (f ToolLists) write(name string, cfg upstream.Config, content file) error {
	text, err := json.Marshal(content)
	if err != nil || len(text) > maxSize {
		return err
	}
	return files.Write(f.path(name, cfg), text)
}

// Forget removes the stored data of the server of this name in a configuration file.
func (f ToolLists) Forget(name, source string) {
	cfg := upstream.Config{Source: source}
	for _, path := range []string{f.path(name, cfg), f.spokenPath(name, cfg)} {
		_ = os.Remove(path) // nothing reads a file that remains
	}
}

// path returns the path of a server's file. The name is a hash of the server's name and source.
func (f ToolLists) path(name string, cfg upstream.Config) string {
	return filepath.Join(string(f), hash(name, cfg.Source)+".json")
}

// identity returns a hash of the configuration. It includes the secrets, which cannot be
// computed from it.
func identity(cfg upstream.Config) string {
	connection := cfg.Connection()
	connection.Disabled, connection.Problem = false, nil
	return hash(connection, string(cfg.OAuth.ClientSecret), string(cfg.OAuth.PrivateKey))
}

func hash(parts ...any) string {
	text, _ := json.Marshal(parts) // a Config has only texts, numbers, lists and maps
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}
