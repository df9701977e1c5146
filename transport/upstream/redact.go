package upstream

import (
	"regexp"
	"strings"
	"sync"
)

// credentials matches secrets of known forms: keys and tokens of common services, and
// the values after names such as "password". Text in capture groups is kept, and so are
// placeholders of secrets of the configuration, such as ${secret:NAME}.
var credentials = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$\{secret:[\w.-]+\}|(?i:\b(authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?))[^\s"',;]{4,}` +
		`|(?i:\b((?:bearer|basic)\s+))[\w.~+/-]{8,}=*` +
		`|(?i:((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?))[^\s"',;&]{4,}` +
		`|(://[^/\s:@]*:)[^/\s@]+@` +
		`|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?` + // JSON Web Token
		`|\b[sprk]k-[\w-]{16,}|\b[sr]k_(?:live|test)_\w{10,}|\bwhsec_\w{10,}` +
		`|\bgh[oprsu]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_\w{30,}|\bpypi-[\w-]{20,}|\bhf_\w{20,}|\bdop_v1_\w{20,}` +
		`|\bxox[a-z]-[\w-]{10,}|\bA[KS]IA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bntn_\w{20,}|\btvly-[\w-]{16,}` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?s:.*?)-----END [A-Z ]*PRIVATE KEY-----|.*)`)
})

const redactedText = "(redacted)"

// Redact makes a server's text safe for a log: printable, and without text that looks
// like a credential.
func Redact(text string) string { return redactText(Printable(text)) }

// Redactor returns a function that works as Redact and also removes the secrets of a
// configuration.
func Redactor(cfg Config) func(string) string { return NewConcealer(cfg).Line }

// Cleaner returns a function that removes the same secrets as Redactor's function, but does
// not shorten the text or join its lines.
func Cleaner(cfg Config) func(string) string { return NewConcealer(cfg).Clean }

func redactText(text string) string {
	return credentials().ReplaceAllStringFunc(text, func(found string) string {
		if strings.HasPrefix(found, "${") {
			return found
		}
		for _, kept := range credentials().FindStringSubmatch(found)[1:] {
			if kept != "" {
				return kept + redactedText
			}
		}
		return redactedText
	})
}
