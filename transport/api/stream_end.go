package api

import (
	"bufio"
	"errors"

	"github.com/toolscript/toolscript"
)

// writeFault writes the last event if the Backend failed before it.
func (st *stream) writeFault(w *bufio.Writer) {
	if st.end != nil {
		return
	}
	body := st.x.errorBody(st.outcome())
	text, err := encodeEvent(toolscript.EndEvent(st.id, toolscript.End{
		Kind: body.Kind,
		Error: &toolscript.RunError{
			Name: "Error", Code: body.Kind, Message: body.Error, Phase: toolscript.Executing, ScriptID: st.id,
		},
		ExitCode: 1,
	}))
	if err == nil {
		st.write(w, text)
	}
}

// errNoEnd is the error for a Backend that does not emit the last event.
var errNoEnd = &toolscript.Error{Kind: toolscript.Internal, Err: errors.New("the run stopped without its last event")}

// outcome returns the error with which the run ended, for the log.
func (st *stream) outcome() error {
	switch {
	case st.end != nil && st.end.OK:
		return nil
	case st.end != nil:
		return &toolscript.Error{Kind: st.end.Kind}
	case st.err != nil:
		return withCause(st.x.ctx, st.err)
	case st.x.ctx.Err() != nil: // the client closed the connection before the end
		return toolscript.ContextError(st.x.ctx)
	default:
		return errNoEnd
	}
}
