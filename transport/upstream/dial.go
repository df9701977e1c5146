package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"github.com/toolscript/toolscript"
)

// Dial connects to a server. ctx limits only the dial. A failed Dial leaves no
// process or connection behind. The functions of on must not block.
type Dial func(ctx context.Context, name string, cfg Config, on Events) (Connection, error)

// DialWith returns the Dial of a function that returns one type of connections. Its errors have no
// secrets of the configuration.
func DialWith[C Connection](dial func(ctx context.Context, name string, cfg Config, on Events) (C, error)) Dial {
	return func(ctx context.Context, name string, cfg Config, on Events) (Connection, error) {
		conn, err := dial(ctx, name, cfg, on)
		if err != nil {
			return nil, NewRedactor(cfg).Error(err) // a nil C would make a non-nil Connection
		}
		return conn, nil
	}
}

// Dial returns the Dial for servers of all kinds.
func (h Host) Dial() Dial {
	all := map[string]Dial{}
	for _, k := range kinds {
		if k.Dial != nil {
			all[k.Type] = k.Dial(h)
		}
	}
	maps.Copy(all, h.Own)
	return func(ctx context.Context, name string, cfg Config, on Events) (Connection, error) {
		about := &toolscript.Error{Kind: toolscript.Unsupported, Server: name}
		switch dial, known := all[cfg.Type]; {
		case cfg.Problem != nil:
			about.Kind, about.Err = toolscript.Invalid, cfg.Problem
		case cfg.Shared != "" && h.Shared != nil:
			return h.Shared(ctx, name, cfg, on)
		case cfg.Shared != "":
			about.Err = errors.New(`this program has no hub; remove "shared" from the server`)
		case known:
			return dial(ctx, name, cfg, on)
		case cfg.Kind().Hub:
			about.Err = errors.New(`this program uses no fleet; remove the server, or define it without "fleet"`)
		default:
			about.Err = fmt.Errorf("this program has no servers of the type %q", cfg.Type)
		}
		return nil, about
	}
}
