package actors

import (
	"context"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/registry"
)

// RunDeps is what runs get.
var RunDeps = (*System).runDeps

// A View is the catalog as it was at one time, with the servers that it is of.
type View = registry.View

// Current is the View in force.
var Current = (*System).current

// DeclarationsOf are what a script is checked against, when look says what the
// catalog is.
var DeclarationsOf = (*System).declarationsOf

// CallAny is how runs make their calls.
var CallAny = (*System).callAny

// Spawn is what the rest of the package starts actors of its own with.
var Spawn = (*System).spawn

// SpawnPermanent starts an actor that is restarted, as those of Start are.
func SpawnPermanent(ctx context.Context, s *System, id string, p actor.Producer) (mailbox.Address, error) {
	return mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[mailbox.Address]) any {
		return spawn{spec{id: id, produce: p}, r}
	})
}

// Find is where an actor is now.
func Find(s *System, id string) mailbox.Address {
	at, _ := s.directory.find(id)
	return at
}
