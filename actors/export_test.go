package actors

import (
	"context"

	"github.com/anthdm/hollywood/actor"

	"github.com/toolscript/toolscript/actors/audit"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
)

// RunDeps returns the Deps of runs.
var RunDeps = (*System).runDeps

// View is catalog.View.
type View = catalog.View

// Current returns the current View.
var Current = (*System).current

// DeclarationsOf returns the declarations for a script with the catalog that look returns.
var DeclarationsOf = (*System).declarationsOf

// CallAny calls tools like a run.
var CallAny = (*System).callAny

// Spawn starts a temporary actor.
var Spawn = (*System).spawn

// SpawnPermanent starts an actor that is restarted, like those of Start.
func SpawnPermanent(ctx context.Context, s *System, id string, p actor.Producer) (mailbox.Address, error) {
	return mailbox.Ask(ctx, s.supervisor(), func(r mailbox.Reply[mailbox.Address]) any {
		return spawn{spec{id: id, produce: p}, r}
	})
}

// Find returns the address of an actor.
func Find(s *System, id string) mailbox.Address {
	at, _ := s.directory.find(id)
	return at
}

// SetAudit replaces the audit of a System without calls; nil is none.
func SetAudit(s *System, l *audit.Log) { s.options.Audit = l }

// Stored makes requests of scripts for stored values.
var Stored = (*System).store
