// Package toolcache keeps the tools that servers listed last in files, so that a
// gateway knows them before its servers have started.
package toolcache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config/private"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// maxSize bounds a file. The largest real servers list some hundred kilobytes.
const maxSize = 16 << 20

// format is raised when the files are written in another way.
const format = 1

// Folder is a folder of such files, the user's own. The empty Folder keeps
// nothing.
type Folder string

// file is what is written.
type file struct {
	Format int               `json:"format"`
	Tools  []toolscript.Tool `json:"tools"`
}

// Recall reads the tools of a server. A file that is missing, somebody else's or
// damaged holds none.
func (f Folder) Recall(name string, cfg mcpclient.Config) []toolscript.Tool {
	if f == "" || private.Check(string(f)) != nil {
		return nil
	}
	info, err := os.Lstat(f.path(name, cfg))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSize {
		return nil
	}
	text, err := os.ReadFile(f.path(name, cfg))
	if err != nil {
		return nil
	}
	var kept file
	if json.Unmarshal(text, &kept) != nil || kept.Format != format {
		return nil
	}
	for i := range kept.Tools {
		kept.Tools[i].Server = name
	}
	return kept.Tools
}

// Keep writes the tools of a server, unless they are too many.
func (f Folder) Keep(name string, cfg mcpclient.Config, tools []toolscript.Tool) error {
	if f == "" {
		return nil
	}
	text, err := json.Marshal(file{format, tools})
	if err != nil || len(text) > maxSize {
		return err
	}
	return private.WriteFile(f.path(name, cfg), text)
}

// path is named by a hash of all that decides what a server is: its
// configuration with its secrets, none of which can be read from it.
func (f Folder) path(name string, cfg mcpclient.Config) string {
	identity, _ := json.Marshal([]any{ // texts and maps of texts always can be
		name, cfg.Type, cfg.Command, cfg.Args, cfg.Env, cfg.Dir, cfg.URL, cfg.Headers,
	})
	sum := sha256.Sum256(identity)
	return filepath.Join(string(f), hex.EncodeToString(sum[:16])+".json")
}
