package daemon

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/hub"
	"github.com/toolscript/toolscript/transport/oauth"
)

// Host is the user's environment: the places of the configuration, the variables, and the
// folders below the data folder.
type Host struct {
	Config config.Options                   // places of the configuration, without Trust
	Warn   func(format string, args ...any) // shows a warning to the user

	// FindHub returns a running hub for shared servers, and may start one. If it is nil, there is no hub.
	FindHub func(ctx context.Context) (hub.Endpoint, error)

	cacheless sync.Once // guards the warning about missing caches
}

// ConfigOptions returns the places of the configuration. With trust, project files have
// effect even if the user has not trusted them.
func (h *Host) ConfigOptions(trust bool) config.Options {
	o := h.Config
	o.Trust = trust
	return o
}

func (h *Host) getenv(name string) string {
	value, _ := h.Config.LookupEnv(name)
	return value
}

// folder returns a folder below the data folder. It may not exist.
func (h *Host) folder(path ...string) (string, error) {
	data, err := config.DataDir(h.Config)
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{data}, path...)...), nil
}

// CacheFolder returns the folder of everything that can be computed again.
func (h *Host) CacheFolder() (string, error) { return h.folder("cache") }

// Cache creates the folder of one cache. Only the user may write to it, because it holds
// machine code. Cache returns "" if that fails: caches only save time.
func (h *Host) Cache(name string) string {
	folder, err := h.folder("cache", name)
	if err == nil {
		err = files.PrivateDir(folder)
	}
	if err != nil {
		h.cacheless.Do(func() { h.Warn("running without caches: %v; name a folder of yours with --data-dir", err) })
		return ""
	}
	return folder
}

// Outputs returns the store of output and values that exceed their limits. Without a usable
// data folder it stores nothing.
func (h *Host) Outputs() kept.Outputs {
	folder, err := h.folder("outputs")
	if err != nil {
		return kept.Outputs{}
	}
	return kept.Outputs{Dir: folder}
}

// DetachedRuns returns the store of the events of detached runs. Without a usable data
// folder it stores nothing.
func (h *Host) DetachedRuns() kept.Events {
	folder, err := h.folder("detached")
	if err != nil {
		return kept.Events{}
	}
	return kept.Events{Dir: folder}
}

// LoginStore returns the store of logins.
func (h *Host) LoginStore() (oauth.Store, error) {
	folder, err := h.folder("oauth")
	return oauth.Store{Dir: folder}, err
}

// Logins returns the stored logins. Without a folder for them, logins end with the process.
func (h *Host) Logins(logger *slog.Logger) *oauth.Sessions {
	store, err := h.LoginStore()
	if err != nil {
		h.Warn("logins are not kept: %v", err)
	}
	return oauth.NewSessions(store, logger)
}
