package actors

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
)

// auditRefused adds a call that the rules of its run forbid.
func (s *System) auditRefused(call toolscript.Call, err error) {
	if s.options.Audit == nil {
		return
	}
	id, _ := loggable(s.current(), call.ID)
	s.options.Audit.Call(audit.Ended{Call: call, Tool: id, Outcome: string(toolscript.KindOf(err))})
}

// auditedFetch is what the audit has in the place of the arguments of a call.
func auditedFetch(o toolscript.FetchRequest) json.RawMessage {
	args, err := json.Marshal(map[string]any{"server": o.Server, "uri": o.URI, "prompt": o.Prompt, "args": o.Args})
	if err != nil {
		return nil
	}
	return args
}

// runEnded counts a run and adds its end to the audit.
func (s *System) runEnded(record toolscript.RunRecord) {
	s.countRun(record)
	s.options.Audit.End(record)
}
