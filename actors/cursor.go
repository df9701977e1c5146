package actors

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/toolscript/toolscript"
)

// cursor holds the cursors of servers, by collection and server. Clients see it
// as a text that says nothing to them.
type cursor map[toolscript.Collection]map[string]string

var errCursor = &toolscript.Error{
	Kind: toolscript.Invalid,
	Err:  errors.New("the cursor is not one that this list gave; ask without it for the first page"),
}

// parseCursor are the cursors of servers in the cursor of a request; nil is the
// first page. Whoever makes one up reaches no server that o does not admit.
func parseCursor(o toolscript.Offered) (map[string]string, error) {
	if o.Cursor == "" {
		return nil, nil
	}
	if len(o.Cursor) > toolscript.MaxCursor {
		return nil, errCursor
	}
	text, err := base64.RawURLEncoding.DecodeString(o.Cursor)
	if err != nil {
		return nil, errCursor
	}
	var c cursor
	if json.Unmarshal(text, &c) != nil || len(c[o.Collection()]) == 0 {
		return nil, errCursor
	}
	return c[o.Collection()], nil
}

// text is the cursor for clients, "" when no server has another page. A cursor
// that would be too long for an URL goes without the last servers, which then
// count as missing from the page.
func (c cursor) text(page *toolscript.Page) string {
	more := c[page.Of]
	maps.DeleteFunc(more, func(_, next string) bool { return next == "" })
	for len(more) > 0 {
		text, err := json.Marshal(c)
		if err != nil {
			panic(err) // strings always marshal
		}
		if encoded := base64.RawURLEncoding.EncodeToString(text); len(encoded) <= toolscript.MaxCursor {
			return encoded
		}
		last := slices.Max(slices.Collect(maps.Keys(more)))
		delete(more, last)
		page.Missing = append(page.Missing, toolscript.Missing{
			Server: last, Kind: toolscript.TooLarge, Error: "its further entries do not fit into one list; ask for those of this server alone",
		})
	}
	return ""
}
