package cli

import (
	"context"
	"log/slog"
	"os"
	"syscall"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
)

// Reload reads the configuration again and puts it in force. An error leaves
// what was in force before.
func (s *system) Reload(ctx context.Context) (toolscript.Reload, error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	loaded, err := config.Load(s.app.config(s.trust))
	if err == nil {
		err = s.app.locate(loaded.Servers)
	}
	if err != nil {
		return toolscript.Reload{}, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	changed, err := s.Configure(ctx, loaded.Servers)
	if err != nil {
		return toolscript.Reload{}, err
	}
	changed.Warnings = loaded.Warnings
	if s.over != nil {
		s.over(&loaded.Settings.Search)
	}
	old := s.settings.Swap(&loaded.Settings)
	changed.Search = old.Search.Changes(loaded.Settings.Search)
	options, warnings := s.app.searchOptions(loaded.Settings.Search)
	s.ConfigureSearch(options)
	changed.Warnings = append(changed.Warnings, warnings...)
	return changed, nil
}

// obeyHangups reloads at each SIGHUP until ctx ends, and says in the log what
// came of it.
func (s *system) obeyHangups(ctx context.Context, hangups <-chan struct{}, logger *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		}
		changed, err := s.Reload(ctx)
		if err != nil {
			logger.Error("configuration not reloaded; the old one stays in force", slog.String("error", err.Error()))
			continue
		}
		for _, warning := range changed.Warnings {
			logger.Warn(warning)
		}
		logger.Info("configuration reloaded", slog.Any("added", changed.Added), slog.Any("removed", changed.Removed),
			slog.Any("changed", changed.Changed), slog.Any("search", changed.Search), slog.Int("unchanged", len(changed.Unchanged)))
	}
}

// hangUps makes SIGHUP mean something else than the end of the command: each is
// passed on, and those that come while one is waiting count as one. A SIGHUP
// that tells of the end of our terminal still ends the command.
func (a *app) hangUps() <-chan struct{} {
	hangups := make(chan struct{}, 1)
	a.hangup.Store(&hangups)
	return hangups
}

// takesHangup reports whether a signal was one that hangUps passes on.
func (a *app) takesHangup(sig os.Signal) bool {
	hangups := a.hangup.Load()
	if sig != syscall.SIGHUP || hangups == nil || terminalGone(a.Stderr) {
		return false
	}
	select {
	case *hangups <- struct{}{}:
	default:
	}
	return true
}
