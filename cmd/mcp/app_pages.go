package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// pageOwner returns the server of a page, and the URI that the server itself uses for the page. uri may be that URI,
// which apps use, or the one from a list or from the _meta of a tool, which clients use. server is "" if there is no
// such page.
func pageOwner(ctx context.Context, g Gateway, uri string) (server, own string, err error) {
	all, err := g.AppTools(ctx)
	if err != nil {
		return "", "", err
	}
	var owners []string
	for _, t := range all.Tools {
		switch {
		case t.UI == nil || t.UI.Page == "":
		case servedURI(toolscript.PageScheme, t.ServerName, t.UI.Page) == uri:
			return t.ServerName, t.UI.Page, nil
		case t.UI.Page == uri && !slices.Contains(owners, t.ServerName):
			owners = append(owners, t.ServerName)
		}
	}
	switch len(owners) {
	case 0:
	case 1:
		return owners[0], uri, nil
	default:
		return "", "", &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("several servers have this page: %s", strings.Join(owners, ", "))}
	}
	_, err = first(ctx, g, toolscript.ListResources, func(e ownedEntry) bool {
		is := strings.HasPrefix(e.URI, toolscript.PageScheme) && servedURI(toolscript.PageScheme, e.Server, e.URI) == uri
		if is {
			server, own = e.Server, e.URI
		}
		return is
	})
	return server, own, err
}

// readPage reads the page with a URI of pageOwner. It returns nil if there is no such page.
func readPage(ctx context.Context, g Gateway, uri string) (json.RawMessage, error) {
	if !strings.HasPrefix(uri, toolscript.PageScheme) {
		return nil, nil
	}
	server, own, err := pageOwner(ctx, g, uri)
	if server == "" || err != nil {
		return nil, err
	}
	raw, err := g.Fetch(ctx, toolscript.FetchRequest{ID: toolscript.ReadResource, Selected: true, Server: server, URI: own})
	if err != nil {
		return nil, err
	}
	return withURI(raw, own, uri)
}

// withURI replaces a URI in the contents of a resource.
func withURI(raw json.RawMessage, own, served string) (json.RawMessage, error) {
	var result map[string]json.RawMessage
	var contents []map[string]json.RawMessage
	if json.Unmarshal(raw, &result) != nil || json.Unmarshal(result["contents"], &contents) != nil {
		return nil, errors.New("the answer of the server cannot be read")
	}
	for _, c := range contents {
		var uri string
		if json.Unmarshal(c["uri"], &uri) == nil && uri == own {
			c["uri"], _ = json.Marshal(served) // a text always has a JSON form
		}
	}
	text, err := toolscript.PlainJSON(contents)
	if err != nil {
		return nil, err
	}
	result["contents"] = text
	return toolscript.PlainJSON(result)
}
