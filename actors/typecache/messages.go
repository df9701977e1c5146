package typecache

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/codegen"
	"github.com/toolscript/toolscript/codegen/observe"
)

// Render asks for the module of some tools. The catalog travels with it: who
// has seen a tool is not answered from an older catalog without it.
type Render struct {
	Catalog  event.CatalogChanged
	Filter   toolscript.Filter
	Options  codegen.Options
	Observed *observe.Shapes // what is shown of results that no schema describes; nil for nothing
	Reply    mailbox.Reply[Rendered]
}

// Rendered is a module and what there is to say about it.
type Rendered struct {
	Module   toolscript.Module
	Warnings []string
}

// generated: a module is ready, or could not be made.
type generated struct {
	key      key
	rendered Rendered
	err      error
}
