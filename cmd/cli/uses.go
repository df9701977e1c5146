package cli

import (
	"regexp"
	"strings"
)

var (
	namedImport = regexp.MustCompile(`import\s*\{([^{}]*)\}\s*from\s*["']toolscript["']`)
	renamed     = regexp.MustCompile(`\btools\s+as\b`)
	mention     = regexp.MustCompile(`(^|[^\w$])tools(\s*\??\.\s*([\p{L}_$][\p{L}\p{N}_$]*))?`)
	wordGoesOn  = regexp.MustCompile(`^[\w$]`)
)

// usedServers are the identifiers after `tools.` in a script. all says that the
// text alone does not tell: tools is renamed, indexed or passed around. It is a
// search in the text, not a parse, since no script is parsed outside a worker;
// what it finds in comments and strings only starts a server too many.
func usedServers(code string) (identifiers []string, all bool) {
	if strings.Contains(code, `\u`) || strings.Contains(code, "import *") {
		return nil, true
	}
	rest := namedImport.ReplaceAllStringFunc(code, func(statement string) string {
		if renamed.MatchString(statement) {
			return statement // `tools` in it then counts as passed around
		}
		return ""
	})
	for _, m := range mention.FindAllStringSubmatchIndex(rest, -1) {
		switch {
		case m[6] >= 0:
			identifiers = append(identifiers, rest[m[6]:m[7]])
		case !wordGoesOn.MatchString(rest[m[1]:]):
			return nil, true
		}
	}
	return identifiers, false
}
