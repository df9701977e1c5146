package daemon

import (
	"log/slog"
	"time"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/audit/chain"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/discovery"
)

// AuditFolder is the folder of the audit. It may not exist.
func (h *Host) AuditFolder() (string, error) { return h.folder("audit") }

// audit is the audit of a gateway; nil if it is switched off, or if there is no data
// folder.
func (h *Host) audit(settings config.Audit, logger *slog.Logger) *audit.Log {
	if settings.Off {
		return nil
	}
	folder, err := h.AuditFolder()
	if err != nil {
		h.Warn("there is no audit: %v", err)
		return nil
	}
	return audit.NewLog(audit.Options{
		Chain: chain.Options{
			Dir: folder, FileBytes: settings.FileMB << 20, KeepBytes: settings.KeepMB << 20,
			KeepAge: time.Duration(settings.KeepDays) * 24 * time.Hour,
		},
		Session: discovery.Session(h.Config.LookupEnv), Logger: logger,
	})
}
