package oauth

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// Grant types.
const (
	AuthorizationCode = "authorization_code" // a person grants access in a browser
	ClientCredentials = "client_credentials" // the client authenticates itself
	JWTBearer         = "jwt_bearer"         // a JWT that another party has issued stands for a person or a workload (RFC 7523)
)

// Config is the configuration of a server's authorization. All fields may be empty;
// then the values are discovered.
type Config struct {
	Grant string // AuthorizationCode (default), ClientCredentials or JWTBearer

	// ClientID is the id of a registered client. If it is empty, the client
	// registers itself.
	ClientID     string
	ClientSecret Secret

	// PrivateKey is a key in PEM form that replaces the secret (RFC 7523).
	// SigningAlgorithm is its JWS algorithm; "" selects one for the key.
	PrivateKey       Secret
	SigningAlgorithm string

	// ClientMetadataURL is the URL of a client ID metadata document. It is the
	// client id if the authorization server supports that.
	ClientMetadataURL string

	// Assertion is the JWT of the grant JWTBearer. AssertionFile is the path of a file with the JWT;
	// the session reads the file for each token.
	Assertion     Secret
	AssertionFile string

	// IDPTokenEndpoint is the token endpoint of the identity provider of a company (SEP-990). If it
	// is set, the assertion is the ID token of a person, and the identity provider exchanges it for
	// a JWT for the authorization server of the MCP server. If it is "", the assertion itself is
	// sent to the authorization server. IDPClientID and IDPClientSecret authenticate the client at
	// the identity provider.
	IDPTokenEndpoint, IDPClientID string
	IDPClientSecret               Secret

	// Issuer is the only authorization server that may receive the credentials. If it is
	// empty and the client has a secret or a key, a person must confirm the issuer that the MCP
	// server names; see Session.Confirm.
	Issuer string

	Scope        string // replaces the scopes that the server suggests
	CallbackPort int    // for `toolscript auth` with clients that have a fixed redirect URI; 0 means any port
	Storage      string // StorageFile (default) or StorageKeyring
}

// Machine reports whether the grant needs no person.
func (c Config) Machine() bool { return c.Grant == ClientCredentials || c.Grant == JWTBearer }

// Secrets returns the secrets by the names of their fields.
func (c *Config) Secrets() map[string]*Secret {
	return map[string]*Secret{
		"ClientSecret": &c.ClientSecret, "PrivateKey": &c.PrivateKey, "Assertion": &c.Assertion, "IDPClientSecret": &c.IDPClientSecret,
	}
}

// names reports whether the configuration has a value that only a server with OAuth needs.
func (c Config) names() bool {
	c.Storage = ""
	return c != Config{}
}

// Check returns an error for missing or invalid values.
func (c Config) Check() error {
	switch {
	case c.Grant == ClientCredentials && c.ClientID == "":
		return errors.New(`oauth.grant "client_credentials" needs oauth.clientId`)
	case c.Grant == ClientCredentials && c.ClientSecret == "" && c.PrivateKey == "":
		return errors.New(`oauth.grant "client_credentials" needs oauth.clientSecret or oauth.privateKey`)
	case c.ClientSecret != "" && c.PrivateKey != "":
		return errors.New("oauth.clientSecret and oauth.privateKey exclude one another")
	case c.ClientID == "" && (c.ClientSecret != "" || c.PrivateKey != ""):
		return errors.New("oauth.clientSecret and oauth.privateKey need oauth.clientId")
	case c.ClientMetadataURL != "" && !documentURL(c.ClientMetadataURL):
		return errors.New("oauth.clientMetadataUrl must be an https address with a path")
	}
	if err := c.checkBearer(); err != nil {
		return err
	}
	if c.Issuer != "" {
		if _, err := parseAddress(c.Issuer); err != nil {
			return fmt.Errorf("oauth.issuer: %w", err)
		}
	}
	if c.PrivateKey == "" {
		return nil
	}
	_, err := newSigner(c)
	return err
}

// String returns only the grant.
func (c Config) String() string {
	if c.Machine() {
		return c.Grant
	}
	return AuthorizationCode
}

// GoString hides secrets from %#v.
func (c Config) GoString() string { return fmt.Sprintf("oauth.Config(%s)", c) }

// LogValue hides secrets from the log.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// documentURL reports whether a URL can be a client id.
// draft-ietf-oauth-client-id-metadata-document requires https and a path.
func documentURL(address string) bool {
	u, err := parseAddress(address)
	return err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") != ""
}
