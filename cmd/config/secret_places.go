package config

import (
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/secrets"
)

// secretPlaces are the fields of a server that may refer to secrets; "*" stands for any
// name. url may too, after the host.
var secretPlaces = []string{
	"env.*", "headers.*", "oauth.clientSecret", "oauth.privateKey", "oauth.assertion", "oauth.identityProvider.clientSecret", "auth.token", "auth.value", "auth.username", "auth.password", "web.search.key",
}

// wrongReferences returns mistakes for references that cannot be parsed.
func (d *document) wrongReferences() []finding {
	return d.wrongTexts(func(_ []string, text string) string {
		for _, p := range everyPiece(text) {
			if p.kind == wrongReference {
				return p.mistake
			}
		}
		return ""
	})
}

// wrongSecrets returns the mistakes in references to secrets.
func (d *document) wrongSecrets() []finding {
	out := d.wrongTexts(func(location []string, text string) string {
		if !refersToSecret(text) {
			return ""
		}
		return secretMistake(location, text)
	})
	for i := range out {
		out[i].part.command = "" // no field of the server gets a secret then
	}
	return out
}

// wrongTexts returns the mistakes in texts that may have references. mistake describes the
// mistake in a text, or returns "".
func (d *document) wrongTexts(mistake func(location []string, text string) string) (out []finding) {
	for name, n := range d.root.children() {
		if name != serversKey && name != "suggestions" && !slices.Contains(expandedSettings(), name) {
			continue
		}
		for location, n := range n.all(name) {
			if !strings.Contains(n.written, "${") {
				continue
			}
			if reason := mistake(location, n.written); reason != "" {
				out = append(out, wrongAt(location, n.at, reason))
			}
		}
	}
	return out
}

// secretMistake describes the mistake in a text that refers to secrets, or returns "".
func secretMistake(location []string, text string) string {
	if location[0] != serversKey || len(location) < 3 {
		return "secrets are for servers; refer to a variable of the environment: ${NAME}"
	}
	for _, p := range pieces(text) {
		switch {
		case refersToSecret(p.fallback):
			return "a secret cannot be the default of a variable"
		case p.kind == secretReference:
			if _, _, ok := strings.Cut(p.name, ":-"); ok {
				return "a secret has no default"
			}
			if err := secrets.CheckName(p.name); err != nil {
				return err.Error()
			}
		}
	}
	field := location[2:]
	switch {
	case field[0] == "command" || field[0] == "args" || field[0] == "commands":
		return "a secret must not be an argument of a program, because other users see arguments in the list of processes; give it to the program in env"
	case field[0] == "url" && len(field) == 1:
		if !afterHost(text) {
			return "a secret in a url must be after the host, because the host is sent to name servers, and the user part is shown in messages; use headers"
		}
		return ""
	case slices.ContainsFunc(secretPlaces, func(place string) bool { return toolscript.MatchName(place, strings.Join(field, ".")) }):
		return ""
	default:
		return "a secret has no place here; it may be in env, headers, oauth.clientSecret, oauth.privateKey, oauth.assertion, oauth.identityProvider.clientSecret, auth.token, auth.value, auth.username, auth.password and web.search.key, and in url after the host"
	}
}

// afterHost reports whether the first secret of a url is in its path or query.
func afterHost(url string) bool {
	before := ""
	for _, p := range pieces(url) {
		if p.kind == secretReference {
			break
		}
		before += p.plain
	}
	if _, after, ok := strings.Cut(before, "://"); ok {
		before = after
	}
	return strings.ContainsAny(before, "/?")
}
