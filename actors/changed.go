package actors

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
)

// renewTime bounds the wait until the catalog has the tools of a server. The catalog gets them shortly after the
// actor of the server.
const renewTime = 5 * time.Second

// callChecked makes a call. If the server starts for the call and then lists another definition of the tool,
// callChecked checks the arguments and the approval against the new definition.
func (s *System) callChecked(ctx context.Context, call *toolscript.Call) (json.RawMessage, error) {
	before, known := s.current().Catalog.Find(call.ID)
	result, err := s.callTool(ctx, call)
	if !known || !errors.Is(err, server.ErrChanged) {
		return result, err
	}
	late := time.NewTimer(renewTime)
	defer late.Stop()
	for view := s.view.Load(); ; view = s.view.Load() {
		now, known := view.Catalog.Find(call.ID)
		if !known || !server.Same(before, now) {
			return s.callTool(ctx, call)
		}
		select {
		case <-view.replaced:
		case <-late.C:
			return result, err
		case <-ctx.Done():
			return result, err
		}
	}
}
