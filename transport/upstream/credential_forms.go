package upstream

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// credentials matches secrets of known forms at the start of a text: keys and tokens of common services, and
// the values after names such as "password". Text in capture groups is kept, and so are
// placeholders of secrets of the configuration, such as ${secret:NAME}.
var credentials = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + inWords + "|" + words + ")") })

// inWord is credentials for a text that continues a word.
var inWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(?:" + inWords + ")") })

// keyEnd matches the end of a key in PEM.
var keyEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-----END [A-Z ]*PRIVATE KEY-----`) })

// inWords and words match the credentials that may begin in a word, and those that may not.
const (
	inWords = `\$\{secret:[\w.-]+\}` +
		`|(?i:((?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)["']?\s*[:=]\s*["']?))[^\s"',;&]{4,}` +
		`|(://[^/\s:@]*:)[^/\s@]+@` +
		`|-----BEGIN [A-Z ]*PRIVATE KEY-----.*`
	words = `(?i:(authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token)\s+)?))[^\s"',;]{4,}` +
		`|(?i:((?:bearer|basic)\s+))[\w.~+/-]{8,}=*` +
		`|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?` + // JSON Web Token
		`|[sprk]k-[\w-]{16,}|[sr]k_(?:live|test)_\w{10,}|whsec_\w{10,}` +
		`|gh[oprsu]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|npm_\w{30,}|pypi-[\w-]{20,}|hf_\w{20,}|dop_v1_\w{20,}` +
		`|xox[a-z]-[\w-]{10,}|A[KS]IA[0-9A-Z]{16}\b|AIza[\w-]{30,}|ya29\.[\w-]{10,}|SG\.[\w-]{16,}\.[\w-]{16,}|ntn_\w{20,}|tvly-[\w-]{16,}`
)

// starts has the beginnings of all credentials by their first bytes, in lower case. Those of (?i) end before a k and
// an s, which have other forms.
var starts = func() (all [256][]string) {
	for start := range strings.FieldsSeq("${ aut bea ba pa pwd sec \u017f to api acc pri :// eyj sk pk rk kk whs gh git glp npm pyp hf_ dop xox akia asia aiz ya2 sg. ntn tvl -----") {
		all[start[0]] = append(all[start[0]], start)
		if upper := start[0] - 'a' + 'A'; start[0] >= 'a' && start[0] <= 'z' {
			all[upper] = append(all[upper], start)
		}
	}
	return all
}()

const redactedText = "(redacted)"

// Redact makes a server's text safe for a log: printable, and without text that looks
// like a credential.
func Redact(text string) string { return redactText(Printable(text)) }

// redactText takes time in proportion to the length of the text: an expression for all positions would be slow.
func redactText(text string) string {
	var out strings.Builder
	written := 0
	noToken, noEnd := 0, false // no JSON Web Token begins before the position; no key ends
	for at := 0; at < len(text); at++ {
		start := startOf(text[at:])
		if start == "" || start == "eyj" && at < noToken {
			continue
		}
		form := credentials()
		if at > 0 && isWord(text[at-1]) {
			form = inWord()
		}
		found := form.FindStringSubmatchIndex(text[at:])
		if found == nil {
			if form == credentials() && strings.HasPrefix(text[at:], "eyJ") { // nor does one that begins later in these letters
				rest := strings.TrimLeftFunc(text[at:], func(r rune) bool { return r == '-' || r < utf8.RuneSelf && isWord(byte(r)) })
				noToken = len(text) - len(rest)
			}
			continue
		}
		if start == "-----" && !noEnd {
			body := 2*len(start) + strings.Index(text[at+len(start):], start) // the end has other hyphens than the start
			if end := keyEnd().FindStringIndex(text[at+body:]); end != nil {
				found[1] = body + end[1]
			} else {
				noEnd = true
			}
		}
		end, kept, mark := at+found[1], slices.Max(found[2:]), redactedText
		if start == "${" {
			kept, mark = found[1], ""
		}
		out.WriteString(text[written : at+max(kept, 0)])
		out.WriteString(mark)
		written, at = end, end-1
	}
	return out.String() + text[written:]
}

// startOf returns the one of starts with which a text begins, or "".
func startOf(text string) string {
	for _, start := range starts[text[0]] {
		if len(text) >= len(start) && strings.EqualFold(text[:len(start)], start) {
			return start
		}
	}
	return ""
}

// isWord reports whether a byte is a part of a word, as in regular expressions.
func isWord(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
