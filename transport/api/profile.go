package api

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/toolscript/toolscript"
)

// ProfileParameter is the parameter of a request that names a profile.
const ProfileParameter = "profile"

// readQuery reads the parameters that the route accepts. If the route accepts a profile,
// the caller sees only the tools of that profile.
func (x *exchange) readQuery(r route) (err error) {
	if r.query == nil {
		return nil
	}
	if x.query, err = parseQuery(string(x.c.Context().URI().QueryString()), r.query); err != nil {
		return err
	}
	name := x.query.Get(ProfileParameter)
	if !slices.Contains(r.query, ProfileParameter) || x.caller != "" && name == "" { // the run is narrowed already
		return nil
	}
	used, allow, err := x.server.backend.Profile(name)
	if err != nil {
		return err
	}
	x.profile, x.allow = used, allow.And(x.allow)
	return nil
}

// withProfile adds the profile to the parameters of a route.
func withProfile(parameters ...string) []string { return append(parameters, ProfileParameter) }

// WithProfile returns a client of the same gateway that sends a profile with its requests
// for tools. "" means the profile of the gateway's configuration.
func (c *Client) WithProfile(name string) *Client {
	narrowed := *c
	narrowed.profile = name
	return &narrowed
}

// narrowed adds the profile of the client to the parameters of a request.
func (c *Client) narrowed(query url.Values) url.Values {
	if c.profile != "" {
		query.Set(ProfileParameter, c.profile)
	}
	return query
}

// ofProfile returns r with the profile of the client, unless r has a profile.
func (c *Client) ofProfile(r toolscript.ExecRequest) toolscript.ExecRequest {
	r.Profile = cmp.Or(r.Profile, c.profile)
	return r
}

// suffix returns the query string of a request that has no other parameters than the profile.
func (c *Client) suffix() string {
	if query := c.narrowed(url.Values{}).Encode(); query != "" {
		return "?" + query
	}
	return ""
}

// profileOf returns the query string with the profile of a request to the MCP server.
func (x *exchange) profileOf() string {
	if x.profile == "" {
		return ""
	}
	return "?" + url.Values{ProfileParameter: {x.profile}}.Encode()
}
