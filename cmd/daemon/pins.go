package daemon

import (
	"github.com/toolscript/toolscript/actors/pin"
)

// pins returns the store of tool definitions as they were at first use, or nil without a data folder.
func (h *Host) pins() pin.Store {
	path, err := h.folder("pins")
	if err != nil {
		return nil
	}
	return pin.Folder(path)
}
