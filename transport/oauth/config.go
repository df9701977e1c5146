package oauth

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// The ways to a token.
const (
	AuthorizationCode = "authorization_code" // a person agrees in a browser
	ClientCredentials = "client_credentials" // the client vouches for itself
)

// Config is what the configuration of a server says about its authorization.
// All of it may be empty: the rest is discovered.
type Config struct {
	Grant string // AuthorizationCode, the default, or ClientCredentials

	// ClientID is a client that has been registered beforehand. Without one the
	// client registers itself.
	ClientID     string
	ClientSecret Secret

	// PrivateKey, a PEM text, is what a client has instead of a secret (RFC
	// 7523). SigningAlgorithm is its JWS algorithm; "" follows from the key.
	PrivateKey       Secret
	SigningAlgorithm string

	// ClientMetadataURL is the address of a client ID metadata document, used as
	// the client's id where the authorization server supports that.
	ClientMetadataURL string

	Scope        string // asked for instead of what the server suggests
	CallbackPort int    // of `toolscript auth`, for clients with a fixed redirect URI; 0 is any
	Storage      string // StorageFile, also when empty, or StorageKeyring
}

// Machine reports whether tokens come without a person.
func (c Config) Machine() bool { return c.Grant == ClientCredentials }

// names reports whether anything of it tells that the server uses OAuth.
func (c Config) names() bool {
	c.Storage = ""
	return c != Config{}
}

// Check reports what is missing.
func (c Config) Check() error {
	switch {
	case c.Machine() && c.ClientID == "":
		return errors.New(`oauth.grant "client_credentials" needs oauth.clientId`)
	case c.Machine() && c.ClientSecret == "" && c.PrivateKey == "":
		return errors.New(`oauth.grant "client_credentials" needs oauth.clientSecret or oauth.privateKey`)
	case c.ClientSecret != "" && c.PrivateKey != "":
		return errors.New("oauth.clientSecret and oauth.privateKey exclude one another")
	case c.ClientID == "" && (c.ClientSecret != "" || c.PrivateKey != ""):
		return errors.New("oauth.clientSecret and oauth.privateKey need oauth.clientId")
	case c.ClientMetadataURL != "" && !documentURL(c.ClientMetadataURL):
		return errors.New("oauth.clientMetadataUrl must be an https address with a path")
	case c.PrivateKey == "":
		return nil
	}
	_, err := newSigner(c)
	return err
}

// String tells the grant alone.
func (c Config) String() string {
	if c.Machine() {
		return ClientCredentials
	}
	return AuthorizationCode
}

// GoString keeps secrets out of %#v.
func (c Config) GoString() string { return fmt.Sprintf("oauth.Config(%s)", c) }

// LogValue keeps secrets out of the log.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

// documentURL reports whether a URL can be the id of a client: draft-ietf-oauth-
// client-id-metadata-document wants https and a path.
func documentURL(address string) bool {
	u, err := parseAddress(address)
	return err == nil && u.Scheme == "https" && strings.Trim(u.Path, "/") != ""
}
