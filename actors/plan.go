package actors

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// stub returns a value of the output type of a tool, for a call that is only planned.
// Without an output schema it has the form of the tool's earlier results, or is {}. The
// error is that of the call if the arguments do not fit.
func (s *System) stub(ctx context.Context, tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
	if _, err := s.fit(ctx, tool, args); err != nil {
		return nil, err
	}
	if tool.OutputSchema != nil {
		return codegen.Stub(tool.OutputSchema), nil
	}
	return json.RawMessage(cmp.Or(string(s.observed.Shapes().Stub(tool.ID())), "{}")), nil
}
