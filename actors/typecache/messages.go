package typecache

import (
	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/codegen"
)

// Render requests the module of some tools of the newest catalog.
type Render struct {
	Filter   toolscript.Filter
	Options  codegen.Options
	Observed *codegen.Shapes   // shapes of results without a schema; nil: without shapes
	Away     map[string]string // servers that are not connected, with the reason
	Reply    mailbox.Reply[Rendered]
}

// Describe requests the figures of the cache.
type Describe struct {
	Reply mailbox.Reply[toolscript.TypesStats]
}

// Rendered is a module and its warnings.
type Rendered struct {
	Module   toolscript.Module
	Warnings []string
}

// generated reports that the generation of a module succeeded or failed.
type generated struct {
	key      key
	rendered Rendered
	err      error
}
