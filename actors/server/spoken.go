package server

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// spokenAge is how long a stored MCP version is used. After that time, the server is asked again,
// because a server that is updated may keep its version number.
const spokenAge = 7 * 24 * time.Hour

// maxSpoken is the maximum size of a spokenFile, in bytes.
const maxSpoken = 4 << 10

// spokenFile is the content of a file with the MCP versions of a server.
type spokenFile struct {
	Identity string          `json:"identity"` // as in file
	Spoken   upstream.Spoken `json:"spoken"`
}

// Spoken returns the MCP versions that the last connection to a server with exactly this configuration has found.
func (f ToolLists) Spoken(name string, cfg upstream.Config) upstream.Spoken {
	if f == "" || files.CheckPrivateDir(string(f)) != nil {
		return upstream.Spoken{}
	}
	path := f.spokenPath(name, cfg)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSpoken || time.Since(info.ModTime()) > spokenAge {
		return upstream.Spoken{}
	}
	text, err := os.ReadFile(path) //nolint:gosec // G304: a file of this program
	var kept spokenFile
	if err != nil || json.Unmarshal(text, &kept) != nil || kept.Identity != identity(cfg) {
		return upstream.Spoken{}
	}
	return kept.Spoken
}

// KeepSpoken stores the MCP versions that a connection to a server has found.
func (f ToolLists) KeepSpoken(name string, cfg upstream.Config, s upstream.Spoken) error {
	if f == "" {
		return nil
	}
	text, err := json.Marshal(spokenFile{identity(cfg), s})
	if err != nil {
		return err
	}
	return files.Write(f.spokenPath(name, cfg), text)
}

func (f ToolLists) spokenPath(name string, cfg upstream.Config) string {
	return filepath.Join(string(f), hash(name, cfg.Source)+".protocol.json")
}

// withSpoken gives the stored MCP versions to the dial, and stores the versions that the connection finds.
func (k *connLoop) withSpoken(on upstream.Events) upstream.Events {
	if k.Memory == nil || k.Config.Local() && !k.Config.Kind().MCP {
		return on
	}
	memory, name, config, logger := k.Memory, k.Name, k.Config, k.Logger
	on.Spoken = memory.Spoken(name, config)
	on.Speaks = func(s upstream.Spoken) {
		k.Work.Go(func() {
			if err := memory.KeepSpoken(name, config, s); err != nil {
				logger.Debug("MCP version not stored", slog.String("error", err.Error()))
			}
		}, func(error) {})
	}
	return on
}
