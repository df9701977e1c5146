package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/toolscript/toolscript/transport/oauth"
)

const (
	redirect = "http://localhost:3000/callback"                      // the servers of the suite redirect no browser
	document = "https://conformance-test.local/client-metadata.json" // the suite's URL of a client ID metadata document
)

// login logs in as the context of the suite says. It keeps the login in memory.
func login(server string) (*oauth.Session, error) {
	var given struct {
		ClientID         string       `json:"client_id"`
		ClientSecret     oauth.Secret `json:"client_secret"`
		PrivateKey       oauth.Secret `json:"private_key_pem"`
		SigningAlgorithm string       `json:"signing_algorithm"`

		// Of a company's identity provider, and of a workload.
		IDToken          oauth.Secret `json:"idp_id_token"`
		IDPTokenEndpoint string       `json:"idp_token_endpoint"`
		IDPClientID      string       `json:"idp_client_id"`
		WorkloadJWT      oauth.Secret `json:"valid_jwt"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	c := oauth.Config{
		ClientID: given.ClientID, ClientSecret: given.ClientSecret,
		PrivateKey: given.PrivateKey, SigningAlgorithm: given.SigningAlgorithm,
	}
	if c.ClientID == "" {
		c.ClientMetadataURL = document
	}
	switch scenario := os.Getenv("MCP_CONFORMANCE_SCENARIO"); {
	case strings.HasPrefix(scenario, "auth/client-credentials"):
		c.Grant = oauth.ClientCredentials
	case given.IDToken != "":
		c.Grant, c.Assertion, c.IDPTokenEndpoint, c.IDPClientID = oauth.JWTBearer, given.IDToken, given.IDPTokenEndpoint, given.IDPClientID
	case given.WorkloadJWT != "":
		c.Grant, c.Assertion = oauth.JWTBearer, given.WorkloadJWT
	}
	return oauth.New(oauth.Options{
		Server: "conformance", URL: server, Config: c,
		Fetch: agree, Redirect: redirect, Confirm: func(string) bool { return true },
	})
}

// agree grants every authorization request in place of a user.
func agree(ctx context.Context, authorizationURL string) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, authorizationURL, nil)
	if err != nil {
		return nil, err
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close() //nolint:errcheck // only the header counts
	back, err := resp.Location()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("HTTP %d from the authorization server", resp.StatusCode), err)
	}
	return back.Query(), nil
}
