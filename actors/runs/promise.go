package runs

import (
	"context"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// proof says whether a run has compared an answer of a tool with its output schema.
type proof int

const (
	unproven proof = iota
	examined       // one answer was compared with the schema
	broken         // an answer breaks the schema, and a line on stderr says so
)

func (s *calls) proofOf(tool string) proof {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proofs[tool]
}

func (s *calls) setProof(tool string, p proof) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proofs == nil {
		s.proofs = map[string]proof{}
	}
	s.proofs[tool] = p
}

// prove compares the first answer of a tool in this run with its output schema. An answer
// that breaks the schema is not an error, because the call may have changed something: the
// script gets what the server sent, and a line on stderr says what is wrong.
func (s *calls) prove(ctx context.Context, tool toolscript.Tool, v outcome) {
	if tool.OutputSchema == nil {
		return
	}
	before := s.proofOf(tool.ID())
	if before == broken || before == examined && !v.broken {
		return
	}
	why := "it has an output schema, and answered without structured content that fits"
	if !v.broken {
		s.setProof(tool.ID(), examined)
		if s.deps.Breaks == nil {
			return
		}
		if why = s.deps.Breaks(ctx, tool.OutputSchema, v.value); why == "" {
			return
		}
		why = "its result breaks its output schema: " + why
	}
	s.setProof(tool.ID(), broken)
	line := toolscript.Event{Type: toolscript.EventStderr, Data: fmt.Sprintf("[%s: %s; the value is what the server sent]\n", tool.ID(), why)}
	if !s.events.try(line) {
		mailbox.Go(func() { s.events.emit(line) }, func(error) {}) // emit recovers panics of the client's code
	}
}
