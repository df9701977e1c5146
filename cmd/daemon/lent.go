package daemon

import (
	"context"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Lent gives access to servers that run in another gateway. A nil Lent has no servers.
type Lent struct {
	Has   func(name string, c upstream.Config) bool
	Dial  server.Dial // returns a nil Conn and no error if the other gateway has ended
	Close func()
}

// over returns a Dial that opens the lent servers in the other gateway, and all others with own.
func (l *Lent) over(own server.Dial) server.Dial {
	if l == nil {
		return own
	}
	return func(ctx context.Context, name string, c upstream.Config, on upstream.Events) (server.Conn, error) {
		if l.Has(name, c) {
			if conn, err := l.Dial(ctx, name, c, on); conn != nil || err != nil {
				return conn, err
			}
		}
		return own(ctx, name, c, on)
	}
}

// memory keeps no tool lists of the other gateway: they have only the tools that it offers.
func (l *Lent) memory(of server.Memory) server.Memory {
	if l == nil {
		return of
	}
	return lentMemory{of, l}
}

type lentMemory struct {
	server.Memory
	lent *Lent
}

func (m lentMemory) Keep(name string, c upstream.Config, tools []toolscript.Tool) error {
	if m.lent.Has(name, c) {
		return nil
	}
	return m.Memory.Keep(name, c, tools)
}

func (m lentMemory) KeepInstructions(name string, c upstream.Config, text string) error {
	if m.lent.Has(name, c) {
		return nil
	}
	return m.Memory.KeepInstructions(name, c, text)
}

func (l *Lent) close() {
	if l != nil {
		l.Close()
	}
}
