package daemon

import (
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/internal/files"
)

// pins returns the store of tool definitions as they were at first use, or nil without a data folder.
func (h *Host) pins() pin.Store {
	path, err := h.folder("pins")
	if err != nil {
		return nil
	}
	files.Tidy(path) // pins are seldom written again
	return pin.Folder(path)
}
