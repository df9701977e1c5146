package oauth

import (
	"cmp"
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
	"time"
)

const (
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code" // RFC 8628

	// deviceRedirect is the redirect URI of clients for this grant. The grant has no redirect, but many
	// authorization servers register no client without one.
	deviceRedirect = "http://127.0.0.1/oauth/callback"

	deviceInterval  = 5 * time.Second // between two requests for the token, if the server names no time
	deviceSlower    = 5 * time.Second // how much "slow_down" adds to that time
	longestInterval = time.Minute     // longest time between two requests while the server does not answer
	longestDevice   = 30 * time.Minute
	longestCode     = 64 // maximum length of a code that a person types, in bytes
)

// ErrNoDevice is the error of BeginDevice if the authorization server does not support the grant.
var ErrNoDevice = errors.New("the authorization server offers no login on another device: its metadata have no device_authorization_endpoint")

// errDeviceExpired is the error for a code that nobody has entered in time.
var errDeviceExpired = errors.New("the code has expired before it was entered; run the command again")

// DeviceAttempt is one run of the device authorization grant (RFC 8628): a person enters a code on
// another device.
type DeviceAttempt struct {
	session  *Session
	next     Credentials // the login, without its token
	scopes   []string
	code     Secret
	interval time.Duration
	ends     time.Time
	answer   deviceAnswer
}

// deviceAnswer is the answer of a device authorization endpoint.
type deviceAnswer struct {
	DeviceCode string      `json:"device_code"`
	UserCode   string      `json:"user_code"`
	URL        string      `json:"verification_uri"`
	OlderURL   string      `json:"verification_url"` // the same URL, under the name in drafts of the RFC
	WholeURL   string      `json:"verification_uri_complete"`
	ExpiresIn  json.Number `json:"expires_in"`
	Interval   json.Number `json:"interval"`

	Error       string `json:"error"`
	Description string `json:"error_description"`
}

// BeginDevice discovers the server's requirements and asks its authorization server for a code. The
// error is ErrNoDevice or one of Begin.
func (s *Session) BeginDevice(ctx context.Context) (*DeviceAttempt, error) {
	c, err := s.challenged(ctx)
	if err != nil {
		return nil, err
	}
	a, known, err := s.authority(ctx, c)
	if err != nil {
		return nil, err
	}
	endpoint, err := s.deviceEndpoint(ctx, a)
	if err != nil {
		return nil, err
	}
	client, err := s.clientFor(ctx, a, known, deviceRedirect)
	if err != nil {
		return nil, err
	}
	s.log.Info("oauth client", slog.String("source", client.Source))
	d := &DeviceAttempt{session: s, scopes: s.scopes(a, c, known), next: Credentials{
		Issuer: a.Issuer, TokenEndpoint: a.TokenEndpoint, Resource: a.resource, Client: client, Confirmed: known.Confirmed, Token: a.noToken(),
	}}
	asked := time.Now()
	if d.answer, err = s.askDevice(ctx, endpoint, d.next, d.scopes); err != nil {
		return nil, err
	}
	d.code = Secret(d.answer.DeviceCode)
	d.interval = seconds(d.answer.Interval, deviceInterval, longestInterval)
	d.ends = asked.Add(seconds(d.answer.ExpiresIn, longestDevice, longestDevice))
	return d, nil
}

// seconds returns a number of seconds as a duration between one second and longest. It returns missing if n is
// not a number.
func seconds(n json.Number, missing, longest time.Duration) time.Duration {
	f, err := n.Float64()
	if err != nil || f <= 0 {
		return missing
	}
	return max(time.Second, time.Duration(min(f, longest.Seconds())*float64(time.Second)))
}

// deviceEndpoint returns the device authorization endpoint in the metadata of an authorization server.
func (s *Session) deviceEndpoint(ctx context.Context, a authority) (string, error) {
	origin := a.Issuer
	if u, err := url.Parse(a.Issuer); err == nil {
		origin = u.Scheme + "://" + u.Host
	}
	addresses := issuerMetadataURLs(a.Issuer)
	for _, address := range issuerMetadataURLs(origin) { // see legacyAuthority
		if !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	for _, address := range addresses {
		var doc struct {
			Issuer   string `json:"issuer"`
			Endpoint string `json:"device_authorization_endpoint"`
		}
		if found, err := s.document(ctx, address, &doc); err != nil || !found || doc.Issuer != a.Issuer || doc.Endpoint == "" {
			continue
		}
		issuer, err := parseAddress(doc.Issuer)
		if err == nil {
			err = checkEndpoint(issuer, doc.Endpoint)
		}
		if err != nil {
			return "", fmt.Errorf("device_authorization_endpoint of the authorization server: %w", err)
		}
		return doc.Endpoint, nil
	}
	return "", ErrNoDevice
}

// askDevice requests a code that a person can enter.
func (s *Session) askDevice(ctx context.Context, endpoint string, c Credentials, scopes []string) (deviceAnswer, error) {
	params := url.Values{"client_id": {c.Client.ID}}
	if len(scopes) > 0 {
		params.Set("scope", strings.Join(scopes, " "))
	}
	if c.Resource != "" {
		params.Set("resource", c.Resource)
	}
	req, err := s.authenticated(ctx, endpoint, c, params)
	if err != nil {
		return deviceAnswer{}, err
	}
	resp, err := s.client.Do(req) //nolint:gosec // the guard of the client restricts the addresses
	if err != nil {
		return deviceAnswer{}, printable(err)
	}
	defer func() { _ = resp.Body.Close() }() // an error after reading does not matter
	var got deviceAnswer
	readable := json.NewDecoder(io.LimitReader(resp.Body, maxDocument)).Decode(&got) == nil
	got.URL = cmp.Or(got.URL, got.OlderURL)
	switch {
	case readable && got.Error != "":
		return got, without(&refusal{got.Error, got.Description, resp.StatusCode}, params, string(s.clientSecret(c.Client)))
	case resp.StatusCode != http.StatusOK:
		return got, fmt.Errorf("the authorization server answers the request for a code with %s", printableText(resp.Status))
	case !readable || got.DeviceCode == "" || got.UserCode == "":
		return got, errors.New("the authorization server sent an invalid answer to the request for a code")
	case len(got.UserCode) > longestCode || printableText(got.UserCode) != got.UserCode:
		return got, errors.New("the authorization server answers with a code that cannot be shown")
	}
	if err := CheckURL(got.URL); err != nil {
		return got, fmt.Errorf("the verification_uri of the authorization server: %w", err)
	}
	if CheckURL(got.WholeURL) != nil {
		got.WholeURL = ""
	}
	return got, nil
}

// authenticated returns a request with the parameters and the authentication of the client.
func (s *Session) authenticated(ctx context.Context, endpoint string, c Credentials, params url.Values) (*http.Request, error) {
	if err := s.admit(c.Issuer, c); err != nil {
		return nil, err
	}
	secret := string(s.clientSecret(c.Client))
	switch {
	case c.Client.AuthMethod == methodJWT:
		if err := s.authenticateClient(c, params); err != nil {
			return nil, err
		}
	case c.Client.AuthMethod != methodBasic && secret != "":
		params.Set("client_secret", secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(params.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	if c.Client.AuthMethod == methodBasic {
		req.SetBasicAuth(url.QueryEscape(c.Client.ID), url.QueryEscape(secret)) // RFC 6749 2.3.1
	}
	return req, nil
}

// DeviceCode is what a person needs for a login on another device.
type DeviceCode struct {
	UserCode string // the code to enter
	URL      string // URL of the page at which to enter it
	WholeURL string // URL that contains the code; "" if the server has sent none
	Ends     time.Time
}

// Code returns the code and the URLs for the person.
func (d *DeviceAttempt) Code() DeviceCode {
	return DeviceCode{d.answer.UserCode, d.answer.URL, d.answer.WholeURL, d.ends}
}

// Wait waits until a person has entered the code and agreed, and stores the tokens. The error is a
// DeniedError if the person refuses.
func (d *DeviceAttempt) Wait(ctx context.Context) error {
	s := d.session
	token, err := d.poll(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.refused(ctx, err)
		}
		return err
	}
	if token.Scope == "" {
		token.Scope = strings.Join(d.scopes, " ")
	}
	next := d.next
	next.Token, next.Login = token, time.Now()
	return s.storeLogin(ctx, next)
}

// poll requests the token until the server issues it. While the server does not answer, poll doubles the time
// between two requests.
func (d *DeviceAttempt) poll(ctx context.Context) (Token, error) {
	var failed error // error of the last request
	for {
		wait := time.NewTimer(d.interval)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return Token{}, context.Cause(ctx)
		}
		if !time.Now().Before(d.ends) {
			return Token{}, errors.Join(errDeviceExpired, failed)
		}
		token, err := d.session.requestToken(ctx, d.next, url.Values{"grant_type": {deviceGrant}, "device_code": {string(d.code)}})
		if err == nil {
			return token, nil
		}
		var refused *refusal
		if !errors.As(err, &refused) || finalRefusal(err) == nil && refused.code != "slow_down" {
			if ctx.Err() != nil {
				return Token{}, context.Cause(ctx)
			}
			failed, d.interval = err, min(2*d.interval, longestInterval)
			continue
		}
		switch refused.code {
		case "authorization_pending":
			failed = nil
		case "slow_down":
			failed = nil
			d.interval += deviceSlower
		case "expired_token":
			return Token{}, errDeviceExpired
		case "access_denied":
			return Token{}, &DeniedError{refused.code, refused.description}
		default:
			return Token{}, fmt.Errorf("exchange the code of the device: %w", err)
		}
	}
}
