package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Load reads the configuration and shows its notices to the user.
func (h *Host) Load(trust bool) (*config.Config, error) { return h.LoadFrom(h.ConfigOptions(trust)) }

// LoadFrom is like Load for a configuration in another place.
func (h *Host) LoadFrom(o config.Options) (*config.Config, error) {
	loaded, err := Read(o)
	if err != nil {
		return nil, err
	}
	for _, notice := range loaded.Notices() {
		h.Warn("%s", notice)
	}
	return loaded, nil
}

// Read reads the configuration. It replaces the command "toolscript" of servers, such as the
// demo server, by the path of this executable: PATH may lead to another program of that name.
func Read(o config.Options) (*config.Config, error) {
	loaded, err := config.Load(o)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	for name, c := range loaded.Servers {
		if !c.Kind().Process || c.Command != "toolscript" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("server %s needs the path of this program, which is unknown: %w", name, err)
		}
		c.Command = self
		loaded.Servers[name] = c
	}
	return loaded, nil
}

// dialOwn wraps dial for servers that run this program, whose file an update may have replaced.
func dialOwn(dial server.Dial) server.Dial {
	self, _ := os.Executable() // "" if unknown, which Read has refused for such servers
	return func(ctx context.Context, name string, cfg upstream.Config, on upstream.Events) (server.Conn, error) {
		if cfg.HasProcess() && cfg.Command == self {
			path, err := files.Own()
			if err != nil {
				return nil, &toolscript.Error{Kind: toolscript.Unavailable, Server: name, Err: err}
			}
			cfg.Command = path
		}
		return dial(ctx, name, cfg, on)
	}
}

// NoServers returns the error of a command that needs a server when none is configured. It
// names the files that were read and says how to add a server.
func (h *Host) NoServers(loaded *config.Config) error {
	if f := loaded.Settings.Fleet; f.All() {
		return &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf(
			"no servers are configured, and the fleet at %s offers none that are known; see: toolscript status fleet", f.Address())}
	}
	files := loaded.Files
	var looked []string
	for _, f := range files {
		switch _, err := os.Lstat(f.Path); {
		case f.Found:
			looked = append(looked, f.Path+" names none")
		case errors.Is(err, fs.ErrNotExist):
			looked = append(looked, f.Path+" does not exist")
		default:
			looked = append(looked, f.Path+" cannot be read")
		}
	}
	if !slices.ContainsFunc(files, func(f config.File) bool { return f.Project || f.Named }) {
		looked = append(looked, fmt.Sprintf("there is no %s in %s or above it", config.FileName, h.Config.WorkDir))
	}
	return &toolscript.Error{
		Kind: toolscript.NotFound,
		Err:  errors.New("no servers are configured: " + strings.Join(looked, ", ") + "; " + config.AddServers),
	}
}
