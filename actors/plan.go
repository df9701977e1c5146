package actors

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/codegen"
)

// stub returns a value of the output type of a tool, for a call that is only planned. If the tool has no output
// schema, the value has the form of earlier results; without such results it is {}. If the arguments do not fit,
// stub returns the error that the call would return.
func (s *System) stub(ctx context.Context, tool toolscript.Tool, args json.RawMessage) (json.RawMessage, error) {
	if _, err := s.fit(ctx, tool, args); err != nil {
		return nil, err
	}
	if tool.OutputSchema != nil {
		return codegen.Stub(tool.OutputSchema), nil
	}
	return json.RawMessage(cmp.Or(string(s.observed.Shapes().Stub(tool.ID())), "{}")), nil
}
