package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// maxDocument bounds a metadata document.
const maxDocument = 1 << 20

// authority is the authorization server of an MCP server, and what to ask it for.
type authority struct {
	*oauthex.AuthServerMeta
	resource string   // the audience of the token (RFC 8707)
	scopes   []string // that the MCP server knows
	assumed  bool     // nothing describes it: these are the endpoints of MCP 2025-03-26
}

// discover finds the authorization server of the server at resource, by its
// protected resource metadata (RFC 9728) and the metadata of the authorization
// server (RFC 8414, or OpenID Connect discovery). A server without the first is
// taken for its own authorization server, as MCP 2025-03-26 had it.
func (s *Session) discover(ctx context.Context, c challenge) (authority, error) {
	described, err := s.protectedResource(ctx, c.metadata)
	if err != nil {
		return authority{}, err
	}
	if described == nil {
		return s.legacyAuthority(ctx)
	}
	if len(described.AuthorizationServers) == 0 {
		return authority{}, errors.New("its resource metadata name no authorization server")
	}
	issuer := described.AuthorizationServers[0]
	meta, err := s.authorizationServer(ctx, issuer)
	if err != nil {
		return authority{}, err
	}
	found := authority{AuthServerMeta: meta, resource: described.Resource, scopes: described.ScopesSupported}
	if meta == nil {
		found.AuthServerMeta, found.assumed = assumedEndpoints(issuer), true
	}
	return found, nil
}

// protectedResource is the first document that is there, nil when there is none.
// One that is there and wrong is an error: what an attacker could have made
// wrong is not passed over.
func (s *Session) protectedResource(ctx context.Context, named string) (*oauthex.ProtectedResourceMetadata, error) {
	for _, address := range resourceMetadataURLs(named, s.url) {
		var doc oauthex.ProtectedResourceMetadata
		found, err := s.document(ctx, address, &doc)
		switch {
		case err != nil && address == named:
			return nil, err
		case err != nil || !found:
			continue // pages that answer every path with something are no metadata
		}
		if !covers(doc.Resource, s.url) {
			return nil, fmt.Errorf("the metadata at %s are of another resource, %s", plainText(address), plainText(doc.Resource))
		}
		for _, issuer := range doc.AuthorizationServers {
			if _, err := parseAddress(issuer); err != nil {
				return nil, fmt.Errorf("the authorization server of the metadata at %s: %w", plainText(address), err)
			}
		}
		return &doc, nil
	}
	return nil, nil
}

// resourceMetadataURLs are the places to look at, in the order of MCP 2025-11-25.
func resourceMetadataURLs(named string, server *url.URL) []string {
	const wellKnown = "/.well-known/oauth-protected-resource"
	var all []string
	if named != "" {
		all = append(all, named)
	}
	at := url.URL{Scheme: server.Scheme, Host: server.Host}
	if path := strings.Trim(server.Path, "/"); path != "" {
		at.Path = wellKnown + "/" + path
		all = append(all, at.String())
	}
	at.Path = wellKnown
	return append(all, at.String())
}

// covers reports whether a resource is the server or holds it: a token for it is
// then not one for somebody else. RFC 9728 wants the two equal, and servers name
// their origin, or end in a slash, all the same.
func covers(resource string, server *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || !sameOrigin(r, server) {
		return false
	}
	inside, outside := strings.Trim(server.Path, "/"), strings.Trim(r.Path, "/")
	return outside == "" || inside == outside || strings.HasPrefix(inside, outside+"/")
}

func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) && strings.EqualFold(a.Host, b.Host)
}

// authorizationServer is the metadata of an issuer, nil when it has none.
func (s *Session) authorizationServer(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	var failed error
	for _, address := range issuerMetadataURLs(issuer) {
		s.log.Debug("oauth discovery", slog.String("url", plainText(address)))
		meta, err := oauthex.GetAuthServerMeta(ctx, address, issuer, s.client)
		if err == nil && meta != nil {
			return meta, checkEndpoints(meta)
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return nil, fmt.Errorf("the metadata of %s: %w", plainText(issuer), printable(failed))
	}
	return nil, nil
}

// issuerMetadataURLs are the places to look at, in the order of MCP 2025-11-25.
func issuerMetadataURLs(issuer string) []string {
	u, err := parseAddress(issuer)
	if err != nil {
		return nil
	}
	at := url.URL{Scheme: u.Scheme, Host: u.Host}
	path := strings.TrimSuffix(u.Path, "/")
	var all []string
	for _, p := range []string{"/.well-known/oauth-authorization-server" + path, "/.well-known/openid-configuration" + path} {
		at.Path = p
		all = append(all, at.String())
	}
	if path != "" {
		at.Path = path + "/.well-known/openid-configuration"
		all = append(all, at.String())
	}
	return all
}

func checkEndpoints(meta *oauthex.AuthServerMeta) error {
	for name, endpoint := range map[string]string{
		"authorization_endpoint": meta.AuthorizationEndpoint, "token_endpoint": meta.TokenEndpoint,
		"registration_endpoint": meta.RegistrationEndpoint, "revocation_endpoint": meta.RevocationEndpoint,
	} {
		if _, err := parseAddress(endpoint); err != nil && endpoint != "" {
			return fmt.Errorf("%s of the authorization server: %w", name, err)
		}
	}
	if meta.TokenEndpoint == "" {
		return errors.New("the authorization server has no token_endpoint")
	}
	return nil
}

// legacyAuthority is the server's own origin. Its metadata may name an issuer
// with a path: RFC 8414 wants the two equal, servers of that time have it so, and
// within one origin nobody is mistaken for somebody else.
func (s *Session) legacyAuthority(ctx context.Context) (authority, error) {
	origin := (&url.URL{Scheme: s.url.Scheme, Host: s.url.Host}).String()
	address := issuerMetadataURLs(origin)[0]
	issuer := origin
	var doc oauthex.AuthServerMeta
	if found, err := s.document(ctx, address, &doc); err == nil && found {
		if named, err := url.Parse(doc.Issuer); err == nil && sameOrigin(named, s.url) {
			issuer = doc.Issuer
		}
	}
	meta, err := oauthex.GetAuthServerMeta(ctx, address, issuer, s.client)
	if err != nil {
		return authority{}, fmt.Errorf("the metadata of %s: %w", origin, printable(err))
	}
	found := authority{AuthServerMeta: meta, resource: s.url.String()}
	if meta == nil {
		found.AuthServerMeta, found.assumed = assumedEndpoints(origin), true
		return found, nil
	}
	return found, checkEndpoints(meta)
}

func assumedEndpoints(issuer string) *oauthex.AuthServerMeta {
	base := strings.TrimSuffix(issuer, "/")
	return &oauthex.AuthServerMeta{
		Issuer:                issuer,
		AuthorizationEndpoint: base + "/authorize",
		TokenEndpoint:         base + "/token",
		RegistrationEndpoint:  base + "/register",
	}
}

// document reads a JSON document. found is false when there is none: a 4xx.
func (s *Session) document(ctx context.Context, address string, into any) (found bool, err error) {
	s.log.Debug("oauth discovery", slog.String("url", plainText(address)))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, errors.New("the server names metadata at what is not a URL")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req) //nolint:gosec // the client's guard is what keeps requests where they may go
	if err != nil {
		return false, printable(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	if resp.StatusCode >= 400 && resp.StatusCode < 500 {
		return false, nil
	}
	if resp.StatusCode != http.StatusOK {
		return false, fmt.Errorf("%s answers %d", plainText(address), resp.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxDocument)).Decode(into); err != nil {
		return false, fmt.Errorf("%s is not JSON", plainText(address))
	}
	return true, nil
}
