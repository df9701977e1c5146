package oauth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// homePage is the home page of the client. Authorization servers show it with the name of the client.
const homePage = "https://github.com/toolscript/toolscript"

// errNoRegistration is the error for an authorization server without dynamic registration.
var errNoRegistration = errors.New("the authorization server registers no clients by itself: register one there, " +
	"and name it in the server's configuration as oauth.clientId (and oauth.clientSecret, if it has one)")

// clientFor returns the client for a flow with a redirect URI. It uses the first of these that
// exists: the configured client; the configured client ID metadata document, if the authorization
// server supports that; the client of an earlier registration; a new registration.
func (s *Session) clientFor(ctx context.Context, a authority, known Credentials, redirect string) (Client, error) {
	switch {
	case s.config.ClientMetadataURL != "" && a.ClientIDMetadataDocumentSupported:
		s.progress(UsingDocument)
		return Client{ID: s.config.ClientMetadataURL, AuthMethod: methodNone, Source: Document}, nil
	case s.config.ClientID != "":
		s.progress(UsingConfigured)
		return s.configuredClient(a), nil
	case known.Client.Source == Dynamic && known.Issuer == a.Issuer && known.Resource == a.resource && slices.Contains(known.Client.RedirectURIs, redirect):
		s.progress(UsingStored)
		return known.Client, nil
	case a.RegistrationEndpoint == "":
		return Client{}, errNoRegistration
	default:
		return s.register(ctx, a, redirect)
	}
}

func (s *Session) configuredClient(a authority) Client {
	c := Client{ID: s.config.ClientID, AuthMethod: methodNone, Source: Configured}
	switch {
	case s.config.PrivateKey != "":
		c.AuthMethod = methodJWT
	case s.config.ClientSecret == "":
	case slices.Contains(a.TokenEndpointAuthMethodsSupported, methodPost) &&
		!slices.Contains(a.TokenEndpointAuthMethodsSupported, methodBasic):
		c.AuthMethod = methodPost
	default: // also the default of RFC 8414
		c.AuthMethod = methodBasic
	}
	return c
}

// register registers a client (RFC 7591). If the authorization server allows it, the client has no
// secret, because a secret in a file of the user proves nothing.
func (s *Session) register(ctx context.Context, a authority, redirect string) (Client, error) {
	s.progress(Registering)
	s.log.Debug("oauth registration", slog.String("url", plainText(a.RegistrationEndpoint)))
	method := methodNone
	if supported := a.TokenEndpointAuthMethodsSupported; len(supported) > 0 && !slices.Contains(supported, methodNone) {
		method = methodBasic
		if !slices.Contains(supported, methodBasic) && slices.Contains(supported, methodPost) {
			method = methodPost
		}
	}
	grants := []string{"authorization_code", "refresh_token"}
	if redirect == deviceRedirect {
		grants = append(grants, deviceGrant)
	}
	got, err := oauthex.RegisterClient(ctx, a.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		ClientName: "Toolscript", ClientURI: homePage, ApplicationType: "native",
		RedirectURIs: []string{redirect}, TokenEndpointAuthMethod: method,
		GrantTypes: grants, ResponseTypes: []string{"code"},
	}, s.client)
	if err != nil {
		return Client{}, registrationError(err)
	}
	c := Client{
		ID: got.ClientID, Secret: Secret(got.ClientSecret), AuthMethod: got.TokenEndpointAuthMethod,
		RedirectURIs: []string{redirect}, Source: Dynamic,
	}
	if c.AuthMethod == "" {
		c.AuthMethod = method
	}
	if c.AuthMethod == methodNone && c.Secret != "" && method != methodNone {
		c.AuthMethod = method
	}
	s.progress(Registered)
	return c, nil
}

// registrationError removes the answer from an error, which may contain a secret.
func registrationError(err error) error {
	var answered *oauthex.ClientRegistrationError
	if errors.As(err, &answered) {
		return fmt.Errorf("client registration: %w", &refusal{code: answered.ErrorCode, description: answered.ErrorDescription})
	}
	return fmt.Errorf("%w (a registration was tried and refused)", errNoRegistration)
}
