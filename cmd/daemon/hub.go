package daemon

import (
	"context"
	"errors"
	"log/slog"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/internal/budget"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/transport/hub"
)

// maxLabel is the maximum length of the folder that a hub shows for a gateway, in bytes.
const maxLabel = 190

// hubClient returns the gateway's side of the hub for shared servers. It starts nothing
// before a shared server is dialled.
func (h *Host) hubClient(answers *budget.Budget, logger *slog.Logger) *hub.Client {
	folder, _ := config.ProjectFolder(h.Config) // Load would have failed if it were unknown
	label := h.Config.WorkDir
	if len(label) > maxLabel {
		label = "…" + texts.End(label, maxLabel)
	}
	return hub.NewClient(hub.ClientOptions{
		Find: h.findHub, Folder: folder, Label: label,
		Answers: answers, Logger: logger,
	})
}

func (h *Host) findHub(ctx context.Context) (hub.Endpoint, error) {
	if h.FindHub == nil {
		return hub.Endpoint{}, &toolscript.Error{Kind: toolscript.Unsupported, Err: errors.New(`this program has no hub; remove "shared" from the server`)}
	}
	return h.FindHub(ctx)
}
