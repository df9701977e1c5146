package oauth

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// Credentials are the stored data of a server. The zero value is an unknown server.
type Credentials struct {
	Server string // configured name
	URL    string // URL of the server; the tokens are valid for this URL only

	Issuer        string // authorization server that issued the tokens
	TokenEndpoint string
	Resource      string // audience of the tokens (RFC 8707)
	Confirmed     string // issuer that a person has confirmed for the client's secret

	Client Client
	Token  Token

	// Login is the time at which a person logged in. Renewals do not change it.
	Login time.Time

	// Wanted are the scopes that the server has required and the token lacks.
	Wanted []string
	// Failure is the reason why a login has failed or ended; "" if there was no failure.
	// FailedAt is the time of the failure.
	Failure  string
	FailedAt time.Time

	// Keyring means that the secrets are stored in the system keyring, not in the
	// file.
	Keyring bool
}

func (c *Credentials) fail(why string) { c.Failure, c.FailedAt = why, time.Now() }

// Client is a registration at an authorization server.
type Client struct {
	ID           string
	Secret       Secret
	AuthMethod   string // authentication at the token endpoint, as in RFC 7591
	RedirectURIs []string
	Source       string // Dynamic, Configured or Document
}

// Sources of a client.
const (
	Dynamic    = "dynamic"  // registered by this program (RFC 7591)
	Configured = "config"   // oauth.clientId
	Document   = "document" // oauth.clientMetadataUrl
)

// Token is an access token with its refresh token.
type Token struct {
	Access   Secret
	Type     string // Bearer or DPoP
	Proof    Secret // key to which the token may be bound, see newProofKey; "": none
	Refresh  Secret
	Scope    string
	Expires  time.Time     // zero: unknown
	Lifetime time.Duration // at the time of issue; 0: unknown
}

// bound reports whether requests with the token need a proof of DPoP.
func (t Token) bound() bool { return t.Proof != "" && strings.EqualFold(t.Type, dpopScheme) }

// usable reports whether the token is valid at a time.
func (t Token) usable(now time.Time) bool {
	return t.Access != "" && (t.Expires.IsZero() || now.Before(t.Expires))
}

// fresh reports whether the token stays valid long enough for a request and its answer. The
// margin is one minute, but at most a quarter of the lifetime, because some tokens live only for
// seconds.
func (t Token) fresh(now time.Time) bool {
	return t.usable(now.Add(min(t.Lifetime/4, time.Minute)))
}

// Authenticated reports whether requests need no login: the token is valid or can be
// renewed.
func (c Credentials) Authenticated(now time.Time) bool {
	return c.Token.usable(now) || c.Token.Refresh != ""
}

// record is the JSON form of a file of credentials. All keys are optional.
type record struct {
	ServerName    string        `json:"serverName,omitempty"`
	ServerURL     string        `json:"serverUrl,omitempty"`
	Issuer        string        `json:"issuer,omitempty"`
	TokenEndpoint string        `json:"tokenEndpoint,omitempty"`
	Resource      string        `json:"resource,omitempty"`
	Confirmed     string        `json:"confirmedIssuer,omitempty"`
	Client        *clientRecord `json:"clientInformation,omitempty"`
	Tokens        *tokenRecord  `json:"tokens,omitempty"`
	LoginAt       int64         `json:"loginAt,omitempty"` // Unix milliseconds
	WantedScope   string        `json:"wantedScope,omitempty"`
	Failure       string        `json:"failure,omitempty"`
	FailedAt      int64         `json:"failedAt,omitempty"` // Unix milliseconds
	Storage       string        `json:"storage,omitempty"`  // location of the secrets; "" is this file
}

type clientRecord struct {
	ID           string   `json:"client_id"`
	Secret       string   `json:"client_secret,omitempty"` //nolint:gosec // this file stores secrets
	AuthMethod   string   `json:"token_endpoint_auth_method,omitempty"`
	RedirectURIs []string `json:"redirect_uris,omitempty"`
	Source       string   `json:"registration_source,omitempty"`
}

type tokenRecord struct {
	Access    string `json:"access_token,omitempty"` //nolint:gosec // this file stores secrets
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in,omitempty"`    // lifetime in seconds at the time of issue
	ExpiresAt int64  `json:"expires_at,omitempty"`    // Unix milliseconds
	Refresh   string `json:"refresh_token,omitempty"` //nolint:gosec // this file stores secrets
	Scope     string `json:"scope,omitempty"`
	Proof     string `json:"dpop_key,omitempty"`
}

func (c Credentials) encode() ([]byte, error) {
	r := record{
		ServerName: c.Server, ServerURL: c.URL, Issuer: c.Issuer, TokenEndpoint: c.TokenEndpoint,
		Resource: c.Resource, Confirmed: c.Confirmed, WantedScope: strings.Join(c.Wanted, " "), Failure: c.Failure,
	}
	if !c.FailedAt.IsZero() {
		r.FailedAt = c.FailedAt.UnixMilli()
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
			Scope: c.Token.Scope, Proof: string(c.Token.Proof), ExpiresIn: int64(c.Token.Lifetime / time.Second),
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

// withoutSecrets removes the secrets from a file whose secrets are in the keyring.
func (r *record) withoutSecrets() {
	r.Storage = StorageKeyring
	if r.Client != nil {
		r.Client.Secret = ""
	}
	if r.Tokens != nil {
		r.Tokens.Access, r.Tokens.Refresh, r.Tokens.Proof = "", "", ""
	}
}

// decode parses a file.
func decode(text []byte) (Credentials, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return Credentials{}, errors.New("not a file of credentials") // the error of json may quote the content
	}
	c := Credentials{
		Server: r.ServerName, URL: r.ServerURL, Issuer: r.Issuer, TokenEndpoint: r.TokenEndpoint,
		Resource: r.Resource, Confirmed: r.Confirmed, Wanted: strings.Fields(r.WantedScope), Failure: r.Failure,
		Keyring: r.Storage == StorageKeyring,
	}
	if r.FailedAt > 0 {
		c.FailedAt = time.UnixMilli(r.FailedAt)
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
			Access: Secret(t.Access), Type: t.Type, Refresh: Secret(t.Refresh), Scope: t.Scope, Proof: Secret(t.Proof),
			Lifetime: time.Duration(max(t.ExpiresIn, 0)) * time.Second,
		}
		if t.ExpiresAt > 0 {
			c.Token.Expires = time.UnixMilli(t.ExpiresAt)
		}
	}
	return c, nil
}
