package config

import (
	"fmt"
	"strings"
)

// Secrets returns the secrets of the settings, by the text that replaces each of them in
// logs and messages. The secrets of servers are in their own configurations.
func (s *Settings) Secrets() map[string]string {
	all := map[string]string{"(search.remote.key)": s.Search.Remote.Key}
	for i, secret := range s.Fleet.secrets() {
		all[fmt.Sprintf("(secret %d of fleet.url)", i+1)] = secret
	}
	for name, p := range s.Harness.Providers {
		all["(key of provider "+name+")"] = p.Key
	}
	for name, value := range s.Telemetry.Headers {
		all["(header "+name+" of telemetry)"] = value
		if _, token, ok := strings.Cut(value, " "); ok { // as in "Bearer TOKEN"
			all["(token of "+name+" of telemetry)"] = token
		}
	}
	return all
}
