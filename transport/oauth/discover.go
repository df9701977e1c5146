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
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/toolscript/toolscript/transport/egress"
)

// maxDocument bounds a metadata document, in bytes.
const maxDocument = 1 << 20

// authority is an authorization server with the parameters of a request for a token.
type authority struct {
	*oauthex.AuthServerMeta
	resource string   // audience of the token (RFC 8707)
	scopes   []string // scopes that the MCP server supports
	bound    bool     // tokens must be bound to a key; see dpop.go
	assumed  bool     // no metadata: the endpoints are the defaults of MCP 2025-03-26
}

// noToken returns a Token without an access token, for a request for one. It has the key to which the token will be
// bound.
func (a authority) noToken() Token {
	if !a.bound {
		return Token{}
	}
	return Token{Proof: newProofKey()}
}

// discover finds the authorization server of the MCP server. It reads the protected resource
// metadata (RFC 9728), and then the metadata of the authorization server (RFC 8414, or OpenID
// Connect discovery). A server without protected resource metadata is its own authorization
// server, as in MCP 2025-03-26.
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
	issuer := s.choose(described.AuthorizationServers)
	meta, err := s.authorizationServer(ctx, issuer)
	if err != nil {
		return authority{}, err
	}
	found := authority{AuthServerMeta: meta, resource: described.Resource, scopes: described.ScopesSupported}
	algorithms := described.DPOPSigningAlgValuesSupported
	found.bound = (c.bound || described.DPOPBoundAccessTokensRequired) && (len(algorithms) == 0 || slices.Contains(algorithms, dpopAlgorithm))
	if meta == nil {
		found.AuthServerMeta, found.assumed = assumedEndpoints(issuer), true
	}
	return found, nil
}

// protectedResource returns the first document that exists, or nil. It returns an error, and does
// not try further addresses, if the document at the named address cannot be read, or if a document
// is about another resource: an attacker may have made it.
func (s *Session) protectedResource(ctx context.Context, named string) (*oauthex.ProtectedResourceMetadata, error) {
	for _, address := range resourceMetadataURLs(named, s.url) {
		var doc oauthex.ProtectedResourceMetadata
		found, err := s.document(ctx, address, &doc)
		switch {
		case err != nil && address == named:
			return nil, err
		case err != nil || !found:
			continue // a server may answer every path with a page
		}
		if doc.Resource == "" {
			at, err := url.Parse(address)
			if err != nil || !egress.SameOrigin(at, s.url) {
				return nil, fmt.Errorf("the metadata at %s do not say which resource they are of (resource)", plainText(address))
			}
			doc.Resource = s.url.String() // the document comes from the origin of the server, so it is about this server
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

// resourceMetadataURLs returns the URLs to try, in the order of MCP 2025-11-25.
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

// covers reports whether the resource equals the server's URL or is a parent of it. Then a token
// for the resource is not meant for another server. RFC 9728 requires equality, but some servers
// use their origin, or add a slash.
func covers(resource string, server *url.URL) bool {
	r, err := url.Parse(resource)
	if err != nil || !egress.SameOrigin(r, server) {
		return false
	}
	inside, outside := strings.Trim(server.Path, "/"), strings.Trim(r.Path, "/")
	return outside == "" || inside == outside || strings.HasPrefix(inside, outside+"/")
}

// authorizationServer returns the metadata of an issuer, or nil if there are none.
func (s *Session) authorizationServer(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	var failed error
	for _, address := range issuerMetadataURLs(issuer) {
		meta := &oauthex.AuthServerMeta{}
		found, err := s.document(ctx, address, meta)
		if found && !sameIssuer(meta.Issuer, issuer) {
			found, err = false, otherIssuer(address, meta.Issuer)
		}
		if found {
			return meta, checkEndpoints(meta)
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return nil, fmt.Errorf("the metadata of %s: %w", plainText(issuer), failed)
	}
	return nil, nil
}

func otherIssuer(address, issuer string) error {
	return fmt.Errorf("%s is of another issuer, %s", plainText(address), plainText(issuer))
}

// issuerMetadataURLs returns the URLs to try, in the order of MCP 2025-11-25.
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

// checkEndpoints returns an error for endpoints that an authorization server must not name. For
// example, its endpoints must not be in a more internal network than its issuer, even if the MCP
// server is in that network.
func checkEndpoints(meta *oauthex.AuthServerMeta) error {
	issuer, err := parseAddress(meta.Issuer)
	if err != nil {
		return fmt.Errorf("the issuer: %w", err)
	}
	for name, endpoint := range map[string]string{
		"authorization_endpoint": meta.AuthorizationEndpoint, "token_endpoint": meta.TokenEndpoint,
		"registration_endpoint": meta.RegistrationEndpoint, "revocation_endpoint": meta.RevocationEndpoint,
	} {
		if endpoint == "" {
			continue
		}
		if err := checkEndpoint(issuer, endpoint); err != nil {
			return fmt.Errorf("%s of the authorization server: %w", name, err)
		}
	}
	if meta.TokenEndpoint == "" {
		return errors.New("the authorization server has no token_endpoint")
	}
	return nil
}

// checkEndpoint returns an error for an endpoint that is more internal than its issuer.
func checkEndpoint(issuer *url.URL, endpoint string) error {
	u, err := parseAddress(endpoint)
	if err == nil && egress.ReachOfHost(u.Hostname()) > egress.ReachOfHost(issuer.Hostname()) {
		err = &egress.RefusedError{Host: u.Hostname()}
	}
	return err
}

// legacyAuthority returns the authorization server at the server's own origin. The issuer in its
// metadata may have a path. RFC 8414 requires the exact URL, but servers of MCP 2025-03-26 add a
// path, and within one origin it is safe.
func (s *Session) legacyAuthority(ctx context.Context) (authority, error) {
	origin := (&url.URL{Scheme: s.url.Scheme, Host: s.url.Host}).String()
	address := issuerMetadataURLs(origin)[0]
	meta := &oauthex.AuthServerMeta{}
	switch found, err := s.document(ctx, address, meta); {
	case err != nil:
		return authority{}, fmt.Errorf("the metadata of %s: %w", origin, err)
	case !found:
		return authority{AuthServerMeta: assumedEndpoints(origin), resource: s.url.String(), assumed: true}, nil
	}
	if named, err := url.Parse(meta.Issuer); err != nil || !egress.SameOrigin(named, s.url) {
		return authority{}, otherIssuer(address, meta.Issuer)
	}
	return authority{AuthServerMeta: meta, resource: s.url.String()}, checkEndpoints(meta)
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

// document fetches a JSON document. found is false after a 4xx status.
func (s *Session) document(ctx context.Context, address string, into any) (found bool, err error) {
	s.log.Debug("oauth discovery", slog.String("url", plainText(address)))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false, errors.New("the address of the server's metadata is not a URL")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := s.client.Do(req) //nolint:gosec // the guard of the client restricts the addresses
	if err != nil {
		return false, printable(err)
	}
	defer func() { _ = resp.Body.Close() }() // an error after reading does not matter
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
