package actors

import (
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

// Intercept sets a function that is called before an actor handles a message.
func Intercept(o *Options, f func(actor string, message any)) { o.intercept = f }

// Find returns the address of an actor.
func Find(s *System, id string) mailbox.Address {
	at, _ := s.directory.Find(id)
	return at
}

// SetAudit replaces the audit of a System that makes no calls at present; nil means no audit.
func SetAudit(s *System, l *audit.Log) { s.options.Audit = l }

// Stored makes requests of scripts for stored values.
var Stored = (*System).store
