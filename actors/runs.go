package actors

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/runs"
	"github.com/toolscript/toolscript/actors/runs/kept"
)

// Runs returns the records of the last runs, the newest first, without their calls.
func (s *System) Runs(ctx context.Context) ([]toolscript.RunRecord, error) {
	return askRuns(ctx, s, func(r mailbox.Reply[[]toolscript.RunRecord]) any { return runs.List{Reply: r} })
}

// Run returns the complete record of one run.
func (s *System) Run(ctx context.Context, id string) (toolscript.RunRecord, error) {
	return askRuns(ctx, s, func(r mailbox.Reply[toolscript.RunRecord]) any { return runs.Get{ID: id, Reply: r} })
}

// RunOutput returns the output or value of a run above its limit. It also finds runs of
// other Systems with the same folder. The error is NotFound if nothing was kept.
func (s *System) RunOutput(_ context.Context, id string, q toolscript.OutputQuery) ([]byte, error) {
	return kept.Outputs{Dir: s.options.Scripts.KeptDir}.Read(id, q)
}

// AbortRun ends a run, or cancels the tasks of a run that has ended.
func (s *System) AbortRun(ctx context.Context, id string) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any { return runs.Abort{ID: id, Reply: r} })
	return err
}

// GiveStdin adds a piece to the standard input of a run. It returns when the script has taken
// the previous piece.
func (s *System) GiveStdin(ctx context.Context, id string, piece toolscript.StdinPiece) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any {
		return runs.Stdin{ID: id, Piece: piece, Reply: r}
	})
	return err
}

// ReplyRun passes the person's answer to a question of a server. After an answer that does not fit, the question
// stays open.
func (s *System) ReplyRun(ctx context.Context, id string, answer toolscript.Answer) error {
	_, err := askRuns(ctx, s, func(r mailbox.Reply[struct{}]) any {
		return runs.Answer{ID: id, Answer: answer, Reply: r}
	})
	return err
}

// RunOf returns the run that has a capability and the tools that it may call.
func (s *System) RunOf(capability string) (id string, allow toolscript.Filter, ok bool) {
	found, err := askRuns(context.Background(), s, func(r mailbox.Reply[runs.Holder]) any {
		return runs.FindByCapability{Capability: capability, Reply: r}
	})
	return found.Run, found.Allow, err == nil && found.Run != ""
}

func askRuns[T any](ctx context.Context, s *System, build func(mailbox.Reply[T]) any) (T, error) {
	var none T
	at, err := s.find(runsID)
	if err != nil {
		return none, err
	}
	ctx, cancel := bounded(ctx, runs.StdinTime+requestLimit)
	defer cancel()
	return mailbox.Ask(ctx, at, build)
}
