package daemon

import (
	"log/slog"
	"time"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/runs/kept"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/runner/worker"
)

// AuditFolder returns the folder of the audit. It may not exist.
func (h *Host) AuditFolder() (string, error) { return h.folder("audit") }

// Audit returns the audit log to which a gateway or a command adds lines, or nil if the
// audit is off or there is no data folder.
func (h *Host) Audit(settings config.Audit, logger *slog.Logger) *audit.Log {
	if settings.Off {
		return nil
	}
	folder, err := h.AuditFolder()
	if err != nil {
		h.Warn("there is no audit: %v", err)
		return nil
	}
	return audit.NewLog(audit.Options{
		Chain: audit.ChainOptions{
			Dir: folder, FileBytes: settings.FileMB << 20, KeepBytes: settings.KeepMB << 20,
			KeepAge: time.Duration(settings.KeepDays) * 24 * time.Hour,
		},
		Session: discovery.Session(h.Config.LookupEnv), Logger: logger,
	})
}

// Recordings returns the store of recorded runs, which are encrypted for the recipients.
func (h *Host) Recordings(recipients []string) (kept.Recordings, error) {
	folder, err := h.folder("recordings")
	return kept.Recordings{Dir: folder, Recipients: recipients}, err
}

// WorkerOptions returns the options of the workers of this program.
func (h *Host) WorkerOptions(logger *slog.Logger) worker.Options {
	return worker.Options{CacheDir: h.Cache("quickjs"), Log: logger}
}
