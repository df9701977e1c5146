package cli

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/mcpclient"
	"github.com/toolscript/toolscript/transport/oauth"
)

// loginState is one row of the table.
type loginState struct {
	Server        string `json:"server"`
	Authenticated bool   `json:"authenticated"`
	Error         string `json:"error,omitempty"` // why a login ended
}

// noLogins is what there is to say where nobody could log in.
const noLogins = `No HTTP or SSE servers are configured. One is:

  {"mcpServers": {"example": {"type": "http", "url": "https://example.com/mcp"}}}`

// list shows where the user is logged in. It asks no server.
func (o *authOptions) list(context.Context) error {
	loaded, err := o.load(false)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(loaded.Files, func(f config.File) bool { return f.Found }) {
		return errors.New("there is no configuration file; name your servers in ~/.toolscript.json, or in .toolscript.json of the project")
	}
	book := o.logins(o.logger(slog.LevelWarn))
	all := []loginState{}
	for _, name := range slices.Sorted(maps.Keys(loaded.Servers)) {
		if c := loaded.Servers[name]; c.Type != mcpclient.Stdio {
			all = append(all, stateOf(book, name, c))
		}
	}
	switch {
	case o.json:
		return writeJSON(o.Stdout, all)
	case len(all) == 0:
		return o.print("%s", noLogins)
	default:
		return o.table(all)
	}
}

func stateOf(book *oauth.Book, name string, c mcpclient.Config) loginState {
	state := loginState{Server: name}
	session, err := book.Session(name, c.URL, c.OAuth)
	if err != nil {
		state.Error = err.Error()
		return state
	}
	status, reason := session.Status()
	state.Authenticated, state.Error = status == oauth.Authenticated, reason
	return state
}

func (o *authOptions) table(all []loginState) error {
	t := table{header: []string{"Status", "Server", "Authentication"}}
	for _, s := range all {
		mark, text := "✗", "not authenticated"
		if s.Authenticated {
			mark, text = "✓", "authenticated"
		}
		if s.Error != "" {
			text += " (" + s.Error + ")"
		}
		t.add(mark, s.Server, text)
	}
	if err := t.write(o.Stdout, nil); err != nil {
		return err
	}
	return o.print("\nRun 'toolscript auth <server-name>' to authenticate a server.")
}
