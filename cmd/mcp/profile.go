package mcp

import (
	"context"
	"net/http"
)

type profileKey struct{}

// withProfile makes the profile in the URL of a request available to ProfileOf.
func withProfile(ctx context.Context, r *http.Request) context.Context {
	return context.WithValue(ctx, profileKey{}, r.URL.Query().Get("profile"))
}

// ProfileOf returns the profile in the URL of an HTTP request, or "" if there is none.
func ProfileOf(ctx context.Context) string {
	name, _ := ctx.Value(profileKey{}).(string)
	return name
}
