package typecache

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/event"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/codegen"
)

// Render asks for the module of some tools. The catalog travels with it: who
// has seen a tool is not answered from an older catalog without it.
type Render struct {
	Catalog event.CatalogChanged
	Filter  toolscript.Filter
	Form    codegen.Form
	Reply   mailbox.Reply[Rendered]
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
