package api

import (
	"context"
	"net/http"
	"net/url"

	"github.com/toolscript/toolscript"
)

// storeTypes answers GET /store/types.
func (s *Server) storeTypes(x *exchange) error {
	q := toolscript.StoreQuery{Form: toolscript.StoreForm(x.query.Get("form")), Session: x.query.Get("session"), Cwd: x.query.Get("cwd")}
	switch q.Form {
	case "":
		q.Form = toolscript.StoreAll
	case toolscript.StoreAll, toolscript.StoreValues, toolscript.StoreDeclarations:
	default:
		return invalid(`parameter "form" must be %s, %s or %s, not %.50q`, toolscript.StoreAll, toolscript.StoreValues, toolscript.StoreDeclarations, q.Form)
	}
	types, err := x.server.backend.StoreTypes(x.ctx, q)
	if err != nil {
		return err
	}
	return x.answer(http.StatusOK, types)
}

// StoreTypes describes the store of scripts.
func (c *Client) StoreTypes(ctx context.Context, q toolscript.StoreQuery) (toolscript.StoreTypes, error) {
	query := url.Values{"form": {string(q.Form)}}
	for name, value := range map[string]string{"session": q.Session, "cwd": q.Cwd} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return get[toolscript.StoreTypes](ctx, c, "/store/types?"+query.Encode())
}
