package oauth

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// Credentials are what is kept of one server. The zero value is a server that
// nothing is known of.
type Credentials struct {
	Server string // configured name
	URL    string // of the server: the tokens are for no other

	Issuer        string // of the authorization server that gave the tokens
	TokenEndpoint string
	Resource      string // the audience that tokens are asked for (RFC 8707)

	Client Client
	Token  Token

	// Login is when a person logged in, which no renewal changes; zero for a
	// login of the program's first version.
	Login time.Time

	// Wanted are the scopes that the server asked for beyond those of the token.
	Wanted []string
	// Failure is why there is no token any more, "" when nothing failed.
	Failure string

	// Keyring says that what is secret of it is kept in the system keyring, and
	// not in the file.
	Keyring bool
}

// Client is who we are for one authorization server.
type Client struct {
	ID           string
	Secret       Secret
	AuthMethod   string // at the token endpoint, as in RFC 7591
	RedirectURIs []string
	Source       string // Dynamic, Configured or Document
}

// The sources of a client.
const (
	Dynamic    = "dynamic"  // registered by us (RFC 7591)
	Configured = "config"   // oauth.clientId
	Document   = "document" // oauth.clientMetadataUrl
)

// Token is an access token and what renews it.
type Token struct {
	Access   Secret
	Type     string
	Refresh  Secret
	Scope    string
	Expires  time.Time     // zero: nobody knows
	Lifetime time.Duration // when it was issued; 0: nobody knows
}

// usable reports whether requests may carry the token at a time.
func (t Token) usable(now time.Time) bool {
	return t.Access != "" && (t.Expires.IsZero() || now.Before(t.Expires))
}

// fresh is usable, and still so when an answer comes to a request that is sent
// now. The time left for that is a quarter of the token's life, since some live
// for seconds, and a minute at most.
func (t Token) fresh(now time.Time) bool {
	return t.usable(now.Add(min(t.Lifetime/4, time.Minute)))
}

// Authenticated reports whether requests can be sent without a person: the token
// counts, or can be renewed.
func (c Credentials) Authenticated(now time.Time) bool {
	return c.Token.usable(now) || c.Token.Refresh != ""
}

// record is the file of a server. Its keys are those of the program's first
// version, with more beside them; all may be absent.
type record struct {
	ServerName    string        `json:"serverName,omitempty"`
	ServerURL     string        `json:"serverUrl,omitempty"`
	Issuer        string        `json:"issuer,omitempty"`
	TokenEndpoint string        `json:"tokenEndpoint,omitempty"`
	Resource      string        `json:"resource,omitempty"`
	Client        *clientRecord `json:"clientInformation,omitempty"`
	Tokens        *tokenRecord  `json:"tokens,omitempty"`
	LoginAt       int64         `json:"loginAt,omitempty"` // Unix milliseconds
	WantedScope   string        `json:"wantedScope,omitempty"`
	Failure       string        `json:"failure,omitempty"`
	Storage       string        `json:"storage,omitempty"` // where the secrets are; "" is here
}

type clientRecord struct {
	ID           string   `json:"client_id"`
	Secret       string   `json:"client_secret,omitempty"` //nolint:gosec // the file is the place for it
	AuthMethod   string   `json:"token_endpoint_auth_method,omitempty"`
	RedirectURIs []string `json:"redirect_uris,omitempty"`
	Source       string   `json:"registration_source,omitempty"`
}

type tokenRecord struct {
	Access    string `json:"access_token,omitempty"` //nolint:gosec // the file is the place for it
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in,omitempty"`    // seconds, when it was issued
	ExpiresAt int64  `json:"expires_at,omitempty"`    // Unix milliseconds
	Refresh   string `json:"refresh_token,omitempty"` //nolint:gosec // the file is the place for it
	Scope     string `json:"scope,omitempty"`
}

func (c Credentials) encode() ([]byte, error) {
	r := record{
		ServerName: c.Server, ServerURL: c.URL, Issuer: c.Issuer, TokenEndpoint: c.TokenEndpoint,
		Resource: c.Resource, WantedScope: strings.Join(c.Wanted, " "), Failure: c.Failure,
	}
	if !c.Login.IsZero() {
		r.LoginAt = c.Login.UnixMilli()
	}
	if c.Client.ID != "" {
		r.Client = &clientRecord{
			ID: c.Client.ID, Secret: string(c.Client.Secret), AuthMethod: c.Client.AuthMethod,
			RedirectURIs: c.Client.RedirectURIs, Source: c.Client.Source,
		}
	}
	if c.Token.Access != "" {
		r.Tokens = &tokenRecord{
			Access: string(c.Token.Access), Type: c.Token.Type, Refresh: string(c.Token.Refresh),
			Scope: c.Token.Scope, ExpiresIn: int64(c.Token.Lifetime / time.Second),
		}
		if !c.Token.Expires.IsZero() {
			r.Tokens.ExpiresAt = c.Token.Expires.UnixMilli()
		}
	}
	if c.Keyring {
		r.withoutSecrets()
	}
	text, err := json.MarshalIndent(r, "", "  ")
	return append(text, '\n'), err
}

// withoutSecrets is for a file beside the keyring.
func (r *record) withoutSecrets() {
	r.Storage = StorageKeyring
	if r.Client != nil {
		r.Client.Secret = ""
	}
	if r.Tokens != nil {
		r.Tokens.Access, r.Tokens.Refresh = "", ""
	}
}

// decode reads a file. written is when it was: a file that says how long its
// token lives, and not until when, was written when the token was issued.
func decode(text []byte, written time.Time) (Credentials, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return Credentials{}, errors.New("not a file of credentials") // the error may quote it
	}
	c := Credentials{
		Server: r.ServerName, URL: r.ServerURL, Issuer: r.Issuer, TokenEndpoint: r.TokenEndpoint,
		Resource: r.Resource, Wanted: strings.Fields(r.WantedScope), Failure: r.Failure,
		Keyring: r.Storage == StorageKeyring,
	}
	if r.LoginAt > 0 {
		c.Login = time.UnixMilli(r.LoginAt)
	}
	if r.Client != nil {
		c.Client = Client{
			ID: r.Client.ID, Secret: Secret(r.Client.Secret), AuthMethod: r.Client.AuthMethod,
			RedirectURIs: slices.Clone(r.Client.RedirectURIs), Source: r.Client.Source,
		}
	}
	if t := r.Tokens; t != nil {
		c.Token = Token{
			Access: Secret(t.Access), Type: t.Type, Refresh: Secret(t.Refresh), Scope: t.Scope,
			Lifetime: time.Duration(max(t.ExpiresIn, 0)) * time.Second,
		}
		switch {
		case t.ExpiresAt > 0:
			c.Token.Expires = time.UnixMilli(t.ExpiresAt)
		case t.ExpiresIn > 0:
			c.Token.Expires = written.Add(c.Token.Lifetime)
		}
	}
	return c, nil
}
