package api

import (
	"github.com/toolscript/toolscript"
)

// watch answers POST /watch with a stream of changes as server-sent events.
func (s *Server) watch(x *exchange) error {
	var q toolscript.WatchQuery
	if err := decode(x.body, &q); err != nil {
		return err
	}
	q.Allow = x.allow
	return x.sendEvents(func(emit func([]toolscript.LiveEvent) error) error {
		return s.backend.Watch(x.ctx, q, func(changes []toolscript.Change) error {
			events := make([]toolscript.LiveEvent, len(changes))
			for i, c := range changes {
				text, err := toolscript.PlainJSON(c)
				if err != nil {
					return err
				}
				events[i] = toolscript.LiveEvent{Type: toolscript.WatchEvent, Data: text}
			}
			return emit(events)
		})
	})
}
