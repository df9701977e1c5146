package actors

import (
	"encoding/json"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/catalog"
)

// auditRefused adds to the audit a call that the rules of its run forbid.
func (s *System) auditRefused(call toolscript.Call, err error) {
	if s.options.Audit == nil {
		return
	}
	id, _ := loggable(s.current(), call.ID)
	s.options.Audit.Call(audit.Ended{Call: call, Tool: id, Outcome: string(toolscript.KindOf(err)), Sent: toolscript.SentNo})
}

// auditAnswered adds to the audit a call that the gateway has answered itself.
func (s *System) auditAnswered(call toolscript.Call, result json.RawMessage, took time.Duration, err error) {
	if s.options.Audit == nil {
		return
	}
	ended := audit.Ended{Call: call, Tool: call.ID, Took: took, Result: result, Outcome: toolscript.OutcomeOK}
	if err != nil {
		outcome, why := outcomeOf(nil, err)
		ended.Outcome, ended.Sent, ended.Error = outcome, toolscript.SentOf(err), s.Redact("", why)
	}
	s.options.Audit.Call(ended)
}

// auditedFetch returns the request in the form in which the audit stores the arguments of a call.
func auditedFetch(o toolscript.FetchRequest) json.RawMessage {
	args, err := toolscript.PlainJSON(map[string]any{"server": o.Server, "uri": o.URI, "prompt": o.Prompt, "args": o.Args})
	if err != nil {
		return nil
	}
	return args
}

// auditOffers adds to the audit the offers of the servers that differ from the old catalog.
func (s *System) auditOffers(old *snapshot, now catalog.View) {
	if s.options.Audit == nil || old != nil && old.Catalog.Generation() == now.Catalog.Generation() {
		return
	}
	changed := audit.Offers(now.Catalog.Tools())
	if old != nil {
		for name, before := range audit.Offers(old.Catalog.Tools()) {
			if after := changed[name]; after == before {
				delete(changed, name)
			} else if after.Tools == 0 {
				changed[name] = after
			}
		}
	}
	if len(changed) > 0 {
		s.options.Audit.Tools(time.Now(), changed)
	}
}

// runEnded counts a run and adds its end to the audit.
func (s *System) runEnded(record toolscript.RunRecord) {
	s.countRun(record)
	s.options.Audit.End(record)
}
