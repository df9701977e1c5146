package actors

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/runs"
)

// maxObserved is the largest result, in bytes, whose form is remembered. Examining a
// result takes several times its memory.
const maxObserved = 1 << 20

// observe remembers the form of a result if the tool has no output schema.
func (s *System) observe(tool toolscript.Tool, result json.RawMessage) {
	if len(result) > maxObserved || !s.observes() || !s.observed.NeedsMore(tool.ID()) {
		return
	}
	if value, ok := runs.Untyped(tool, result); ok {
		s.observed.See(tool.ID(), value)
	}
}
