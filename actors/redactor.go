package actors

import (
	"maps"

	"github.com/toolscript/toolscript/transport/upstream"
)

// Redact makes a text of a server safe for logs, records, events and approvals: printable,
// at most 300 characters, and without the secrets of the server's configuration, the
// values of the variables of all servers, and credentials of known forms. server may be
// "". It uses the upstream.Redactor of the server.
func (s *System) Redact(server, text string) string {
	if text == "" {
		return ""
	}
	text = s.withoutSecrets(server, text)
	if runes := []rune(text); len(runes) > maxReason {
		return string(runes[:maxReason-1]) + "…"
	}
	return text
}

// withoutSecrets is Redact with the larger bound of the redactor, some kilobytes.
func (s *System) withoutSecrets(server, text string) string {
	return s.redactor(server).line(text)
}

// clean is Redact for a text that a program reads, such as the script that made the call: it
// keeps its length and its lines.
func (s *System) clean(server, text string) string { return s.redactor(server).text(text) }

func (s *System) redactor(server string) redactor {
	all := *s.redactors.Load()
	if r, has := all[server]; has {
		return r
	}
	return all[""]
}

// redactor removes secrets: line from a text that is shown on one line, text from any other
// text. known removes only known secrets, not texts that look like a secret.
type redactor struct{ line, text, known func(string) string }

func newRedactor(config upstream.Config) redactor {
	secrets := upstream.NewRedactor(config)
	return redactor{secrets.Line, secrets.Clean, secrets.Text}
}

// RenewRedactors reads Options.Secrets again.
func (s *System) RenewRedactors() {
	s.configuring.Lock()
	defer s.configuring.Unlock()
	s.redactors.Store(redactorsOf(s.configured, s.options.Secrets))
}

// redactorsOf returns the redactors of all configured servers by name, and under "" the one
// for texts of no server. All of them know the variables of all servers and the other
// secrets, because a program may print what another one was given.
func redactorsOf(servers map[string]upstream.Config, others func() map[string]string) *map[string]redactor {
	variables := map[string]string{}
	if others != nil {
		maps.Copy(variables, others())
	}
	for _, config := range servers {
		maps.Copy(variables, config.Secrets)
	}
	all := make(map[string]redactor, len(servers)+1)
	all[""] = newRedactor(upstream.Config{Secrets: variables})
	for name, config := range servers {
		config.Secrets = variables
		all[name] = newRedactor(config)
	}
	return &all
}
