package actors

import (
	"context"
	"time"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// spawnLimit bounds the start of an actor.
const spawnLimit = 10 * time.Second

// spawn starts a temporary actor under the supervisor: when it ends, by itself
// or by a panic, it is gone. The Address tells of its end.
func (s *System) spawn(ctx context.Context, id string, p actor.Producer) (mailbox.Address, error) {
	if s.closing.Err() != nil {
		return mailbox.Address{}, mailbox.ErrStopped
	}
	ctx, cancel := context.WithTimeout(ctx, spawnLimit)
	defer cancel()
	return mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[mailbox.Address]) any {
		return spawn{spec{id: id, produce: p, temporary: true}, r}
	})
}
