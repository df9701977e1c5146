package clients

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/transport/upstream"
)

// secret is a part of a text that is a token or a password.
type secret struct {
	from, to int
	name     string // a name for the secret; "" if the text gives none
}

var (
	secretName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)token|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|credential|authorization|cookie` +
			`|bearer|(^|[-_])(auth|key|pat|dsn)$|[-_]pwd$`)
	})
	countName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(max|min|limit|count|budget|num)[-_]?tokens?|tokens?[-_]?(limit|count|max|budget|size|ttl)`)
	})
	pathName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(file|path|dir|folder|credentials)$`) })
	idName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)id$`) })
	aPath    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(~?/|\.\.?/|[A-Za-z]:[\\/])`) })
	harmless = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(|true|false|yes|no|on|off|none|null|basic|bearer|oauth2?|\d{1,3})$`)
	})
	scheme    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:bearer|basic|token|apikey)\s+`) })
	named     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(-{0,2}[A-Za-z][\w.-]*)(\s*[:=]\s*)`) })
	address   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9+.-]*://`) })
	onlyNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\s*\$\{[^{}]*\}\s*)+$`) })
	fallbacks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:-([^}]*)\}`) })
	opaque    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w-]{24,}={0,2}$`) })
)

// secretsIn finds the secrets in a text. name is the key of the text, or the flag before
// it.
func secretsIn(name, text string) []secret {
	if address().MatchString(text) {
		return secretsInAddress(text)
	}
	start := len(scheme().FindString(text))
	rest := text[start:]
	switch {
	case onlyNames().MatchString(rest):
		for _, fallback := range fallbacks().FindAllStringSubmatch(rest, -1) {
			if looksSecret(fallback[1]) {
				return []secret{{start, len(text), ""}}
			}
		}
		return nil
	case namesSecret(name, rest) && !harmless().MatchString(rest):
		return []secret{{start, len(text), name}}
	}
	if at := named().FindStringSubmatchIndex(text); at != nil {
		inner := secretsIn(text[at[2]:at[3]], text[at[1]:])
		for i := range inner {
			inner[i].from += at[1]
			inner[i].to += at[1]
		}
		if len(inner) > 0 || !looksSecret(text) {
			return inner
		}
	}
	if knownForm(text) || random(text) && !idName().MatchString(name) {
		return []secret{{start, len(text), ""}}
	}
	return nil
}

// namesSecret reports whether name is the name of a secret and text is not a path.
func namesSecret(name, text string) bool {
	if !secretName().MatchString(name) || countName().MatchString(name) {
		return false
	}
	return !pathName().MatchString(name) || !aPath().MatchString(text)
}

// looksSecret reports whether a text has the form of a token: of a known service, or a long
// text that looks random.
func looksSecret(text string) bool { return knownForm(text) || random(text) }

func knownForm(text string) bool { return strings.Contains(upstream.Redact(text), "(redacted)") }

// random reports whether a text looks like the output of a random generator.
func random(text string) bool {
	if !opaque().MatchString(text) {
		return false
	}
	digits, changes := 0, 0
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			digits++
		}
		if i > 0 && class(text[i]) != class(text[i-1]) {
			changes++
		}
	}
	return digits >= 4 && changes >= 6 && digits < len(text)
}

func class(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return 0
	case c >= 'a' && c <= 'z':
		return 1
	case c >= 'A' && c <= 'Z':
		return 2
	default:
		return 3
	}
}

// secretsInAddress finds the secrets in an address: the password, parts of the path, and
// parameters.
func secretsInAddress(text string) []secret {
	var out []secret
	start := strings.Index(text, "://") + 3
	end := start + strings.IndexAny(text[start:]+"/", "/?#")
	if at := strings.LastIndexByte(text[start:end], '@'); at >= 0 {
		user := text[start : start+at]
		if _, password, ok := strings.Cut(user, ":"); ok && password != "" && !onlyNames().MatchString(password) {
			out = append(out, secret{start + len(user) - len(password), start + at, "password"})
		} else if !ok && looksSecret(user) {
			out = append(out, secret{start, start + at, "token"})
		}
	}
	query := end + strings.IndexAny(text[end:]+"?", "?#")
	for at := end; at < query; {
		next := at + 1 + strings.IndexByte(text[at+1:query]+"/", '/')
		if part := text[at+1 : next]; looksSecret(part) {
			out = append(out, secret{at + 1, next, "key"})
		}
		at = next
	}
	for at := query; at < len(text); {
		next := at + 1 + strings.IndexAny(text[at+1:]+"&", "&#")
		name, value, ok := strings.Cut(text[at+1:next], "=")
		plain, err := url.QueryUnescape(value)
		if ok && err == nil && !onlyNames().MatchString(value) && !harmless().MatchString(value) &&
			(namesSecret(name, plain) || looksSecret(plain)) {
			out = append(out, secret{next - len(value), next, name})
		}
		at = next
	}
	return out
}

const hidden = "***"

// masked returns a text with its secrets hidden.
func masked(name, text string) string {
	return replaced(text, secretsIn(name, text), func(secret) string { return hidden })
}

func replaced(text string, found []secret, with func(secret) string) string {
	var b strings.Builder
	at := 0
	for _, s := range found {
		b.WriteString(text[at:s.from])
		b.WriteString(with(s))
		at = s.to
	}
	b.WriteString(text[at:])
	return b.String()
}

// Variable is a variable that has to be set before a server starts.
type Variable struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Why    string `json:"why"`
}

// Secret is a value that the secret store should keep for servers.
type Secret struct {
	Name   string `json:"name"`
	Server string `json:"server"`
	Value  string `json:"-"`
}

// secretValues replaces the secrets of servers by references to variables, or to secrets of
// toolscript where possible.
type secretValues struct {
	places    Places
	store     func(name string) bool // nil: only variables are used; see Options
	values    map[string]string      // values by the name of the variable
	variables []Variable
	secrets   []Secret
	keepable  bool // a variable could be a secret of toolscript instead
}

// reset restores the state from before a server that is left out.
func (v *secretValues) reset(before secretValues) {
	v.variables, v.secrets, v.keepable = before.variables, before.secrets, before.keepable
}

// hide replaces the secrets of a server by references to variables.
func (v *secretValues) hide(s *Server) {
	for _, p := range s.definition() {
		s.fields[p.key] = v.hideValue(s, p.key, p.key, p.value)
	}
}

func (v *secretValues) hideValue(s *Server, place, name string, value any) any {
	switch value := value.(type) {
	case string:
		return v.hideText(s, place, name, value)
	case []any:
		before := ""
		for i, item := range value {
			value[i] = v.hideValue(s, fmt.Sprintf("%s[%d]", place, i), before, item)
			before = flagBefore(item)
		}
	case map[string]any:
		for _, key := range sortedKeys(value) {
			value[key] = v.hideValue(s, place+"."+key, key, value[key])
		}
	}
	return value
}

// flagBefore returns the flag that may give a name to the next argument, or "".
func flagBefore(item any) string {
	if text, ok := item.(string); ok && strings.HasPrefix(text, "-") && !strings.Contains(text, "=") {
		return text
	}
	return ""
}

func (v *secretValues) hideText(s *Server, place, name, text string) string {
	return replaced(text, secretsIn(name, text), func(found secret) string {
		value := text[found.from:found.to]
		variable := v.name(s, suggested(s, place, name, found.name), value)
		if keepable(place, text, found) && secrets.CheckValue(value) == nil {
			if v.store != nil {
				v.secrets = append(v.secrets, Secret{variable, s.Name, value})
				return "${secret:" + variable + "}"
			}
			v.keepable = true
		}
		if set, ok := v.places.Lookup(variable); !ok || set != text[found.from:found.to] {
			v.add(Variable{variable, s.Name, fmt.Sprintf("the value is in %s, at %s of %s", s.File.Path, place, s.Name)})
		}
		return "${" + variable + "}"
	})
}

// keepable reports whether a server may refer to a secret of toolscript at a place; see package config.
func keepable(place, text string, found secret) bool {
	if place == "url" {
		host := strings.Index(text, "://") + 3
		at := strings.IndexAny(text[host:], "/?#")
		return at >= 0 && host+at < found.from
	}
	return strings.HasPrefix(place, "env.") || strings.HasPrefix(place, "headers.") || place == "oauth.clientSecret"
}

// suggested returns a variable name for a secret: the name of the variable that has the
// secret, else a name that begins with the name of the server.
func suggested(s *Server, place, key, part string) string {
	if strings.HasPrefix(place, "env.") {
		if part == key || part == "" {
			return variableName(key)
		}
		return variableName(key + "_" + part)
	}
	if part == "" || strings.EqualFold(part, "authorization") {
		part = "token"
	}
	return variableName(s.Name + "_" + part)
}

// name returns the name of a variable that has no other value already.
func (v *secretValues) name(s *Server, name, value string) string {
	free := func(name string) bool {
		known, used := v.values[name]
		if used {
			return known == value
		}
		if v.store != nil {
			return !v.store(name)
		}
		set, ok := v.places.Lookup(name)
		return !ok || set == value
	}
	candidate := name
	if !free(candidate) {
		candidate = variableName(s.Name + "_" + name)
	}
	for i := 2; !free(candidate); i++ {
		candidate = fmt.Sprintf("%s_%d", variableName(s.Name+"_"+name), i)
	}
	v.values[candidate] = value
	return candidate
}

func (v *secretValues) add(needed Variable) {
	for _, known := range v.variables {
		if known.Name == needed.Name {
			return
		}
	}
	v.variables = append(v.variables, needed)
}
