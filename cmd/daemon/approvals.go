package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/approval"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/cmd/confirm"
	"github.com/toolscript/toolscript/internal/files"
)

// approvalStore keeps permanent approvals in a file of the data folder.
type approvalStore struct{ path string }

// approvals returns the store of approvals, or nil without a data folder.
func (h *Host) approvals() approval.Store {
	path, err := h.folder("approvals.json")
	if err != nil {
		return nil
	}
	return approvalStore{path}
}

// Load returns the stored approvals.
func (s approvalStore) Load() ([]approval.Pin, error) {
	text, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var pins []approval.Pin
	if err := json.Unmarshal(text, &pins); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return pins, nil
}

// Save replaces the stored approvals.
func (s approvalStore) Save(pins []approval.Pin) error {
	text, err := json.MarshalIndent(pins, "", "  ")
	if err != nil {
		return err
	}
	if err := files.PrivateDir(filepath.Dir(s.path)); err != nil {
		return err
	}
	return files.WriteSynced(s.path, append(text, '\n'))
}

// ConfirmApproval shows the code of a request at the terminal of the process that is about
// to answer it, if the user's file allows that.
func (d *Daemon) ConfirmApproval(ctx context.Context, id string, pid int) error {
	if !d.settings.Load().ConfirmAtTerminal {
		return &toolscript.Error{Kind: toolscript.Forbidden, Err: errors.New(
			`codes are shown at the gateway's own terminal and on the desktop; to show them at the terminal that answers, write "confirm": "terminal" into approvals in ~/.toolscript.json`)}
	}
	show, err := confirm.AtTerminal(pid)
	if err != nil {
		return err
	}
	return d.ShowApproval(ctx, id, show)
}

// pins returns the store of tool definitions as they were at first use, or nil without a data folder.
func (h *Host) pins() pin.Store {
	path, err := h.folder("pins")
	if err != nil {
		return nil
	}
	files.Tidy(path) // pins are seldom written again
	return pin.Folder(path)
}
