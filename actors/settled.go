package actors

import (
	"errors"
	"slices"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/transport/upstream"
)

// settled returns the error of a call for its caller. The error says whether the call was sent.
// It has a time to try again only if repeating the call has no second effect.
func settled(view catalog.View, call toolscript.Call, err error) error {
	if err == nil {
		return nil
	}
	err = toolscript.WithSent(err, toolscript.SentOf(err))
	var e *toolscript.Error
	if !errors.As(err, &e) {
		return err
	}
	full := *e
	tool, known := view.Catalog.Find(call.ID)
	full.Repeatable = toolscript.IsFetch(call.ID) || known && tool.Annotations.Repeatable() ||
		call.Key != "" && (full.Kind == toolscript.Conflict || elsewhere(view, tool.Server))
	if !full.MayRepeat() {
		full.RetryAfter = 0
	}
	return &full
}

// elsewhere reports whether a hub of a fleet carries out the calls of a server. Such a hub keeps the answers to
// calls with a key.
func elsewhere(view catalog.View, name string) bool {
	i := slices.IndexFunc(view.Servers, func(s catalog.Server) bool { return s.Name == name })
	return i >= 0 && upstream.KindOf(view.Servers[i].Type).Hub
}
