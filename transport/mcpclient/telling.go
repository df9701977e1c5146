package mcpclient

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// telling returns the line of standard error that probably says why a program has ended or failed: the
// last line that names an error, or otherwise the last line that is a sentence. It is often not the
// last line of all, because usage texts, stack traces and advice follow it.
func telling(lines []string) string {
	if reason, own := toldByNPM(lines); reason != "" {
		return reason
	} else if len(own) > 0 {
		lines = own
	}
	for _, form := range errorForms() {
		for i, line := range slices.Backward(lines) {
			if form.MatchString(line) && !notice().MatchString(line) {
				return withCause(line, lines[i+1:])
			}
		}
	}
	for _, line := range slices.Backward(lines) {
		if !notice().MatchString(line) {
			return line
		}
	}
	return lines[len(lines)-1]
}

// errorForms are the forms of lines that name an error, the most certain ones first.
var errorForms = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`^(?:Uncaught |Unhandled )?(?:[\w$]+\.)*\w*(?:Error|Exception|Exit)(?: \[\w+\])?:` + // JavaScript, Python, Java
			`|^(?:[\w./\\-]+: )*(?i:error|fatal|panic)(?: error)?(?: in [\w().]+)?(?:\[\w+\])?: ?\S` + // cobra, click, argparse, Rust, git, Go, uv
			`|^× \S` + // uv, before 2026
			`|^[A-Z]\w*(?:Error|Exception)$`), // Python, without a message
		regexp.MustCompile(`^(?:Cannot|Can't|Could not|Couldn't|Failed|Unable to|Missing|Unknown|Unrecognized|Invalid|No such|Not enough|Too many) `),
		regexp.MustCompile(`(?:^|[\s\[|])(?:ERROR|FATAL|CRITICAL)(?:[\s\]:|]|$)|"level": ?"(?:error|fatal)"`), // logs
	}
})

// notice matches lines that never say why a program has ended: brackets, stack frames, usage texts,
// versions and advice.
var notice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\W_]*$|^at \S|^\.\.\. |^File "|^goroutine \d|^Node\.js v|^\[?npm notice|^(?i:usage|options|commands|flags|arguments|hint|note)\b.*:|^-{1,2}\w` +
		`|^(?i:for more information|try |run |use ).*-?-help|^(?:code|errno|syscall|path|requireStack|signal|Require stack): ?`)
})

// cause matches a line that explains the error in the line before it.
var cause = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:cause: |[╰├]─▶ )(.+)`) })

// withCause returns the line of an error together with the cause that follows it.
func withCause(line string, after []string) string {
	if len(after) > 0 {
		if m := cause().FindStringSubmatch(after[0]); m != nil {
			return strings.TrimSuffix(strings.TrimPrefix(line, "× "), ":") + ": " + m[1]
		}
	}
	return line
}

// ofNPM matches the lines of npm about an error. The capture group is a sentence.
var ofNPM = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^npm (?:error|ERR!)(?: (?:code|errno|syscall|path|command|A complete log) .*| (.+))?$`)
})

// toldByNPM returns the first sentence of npm's error report, and the lines that npm has not printed.
// If a program has failed, npm also reports that, but the reason is in the lines of the program.
func toldByNPM(lines []string) (reason string, own []string) {
	for _, line := range lines {
		m := ofNPM().FindStringSubmatch(line)
		switch {
		case m == nil:
			own = append(own, line)
		case reason == "":
			reason = m[1]
		}
	}
	return reason, own
}
