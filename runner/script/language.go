package script

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"sync"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/scripterror"
)

const codeLanguage = "language"

// languages are the other languages that models send instead of a script. explain looks for them
// in a text that does not parse.
var languages = sync.OnceValue(func() []language {
	const commands = `apt|apt-get|awk|bash|brew|cargo|cat|cd|chmod|cp|curl|docker|echo|find|gh|git|go|grep|kill|kubectl|ls|make|mkdir|mv|node|` +
		`npm|npx|pip|pip3|pnpm|ps|python|python3|rm|sed|sh|source|ssh|sudo|tar|toolscript|touch|uv|uvx|wget|yarn`
	return []language{
		{"a shell command", "a shell runs it; in a script, a tool runs commands", regexp.MustCompile(
			`\A(?:\s*#.*\n)*\s*(?:\$ +)?(?:\w+=\S* +)*(?:(?:` + commands + `)(?: +(?:[-\w."'~$:@{]|/\w).*)?|export \w+=.*|for \w+ in [^\n(]*(?:;|\n) *do\b.*)(?:\n|\z)|\A#!.*\b(?:ba|z|da)?sh\b`)},
		{"Python", "write it in TypeScript; console.log prints", regexp.MustCompile(
			`\A(?:\s*#.*\n)*\s*import +(?:\w|[^f\W]\w|f[^s\W]|\w{3,})(?:\.\w+)*(?: as \w+)?(?:, *\w+)* *(?:#.*)?(?:\n|\z)|(?m)^\s*(?:def \w+\(.*\).*:|(?:if|elif|while|for|with|except) .+:|(?:else|try|except):|from [\w.]+ import .+|class \w+(?:\(.*\))?:|#!.*python.*)\s*(?:#.*)?$`)},
		{"SQL", "a tool of a database runs it", regexp.MustCompile(
			`(?i)\A\s*(?:select\s[^;]+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|create\s+(?:table|view|index)\s)`)},
		{"markup", "a script has only code", regexp.MustCompile(`\A\s*<(?:[!?]|[a-z][\w-]*[\s/>])`)},
	}
})

type language struct {
	name, instead string
	pattern       *regexp.Regexp
}

// explain returns a diagnostic if the text is in another language or has HTML entities, or nil.
func (u unit) explain(s shim.Syntax) *toolscript.Diagnostic {
	if d := u.entities(s); d != nil {
		return d
	}
	say := func(name, instead string) *toolscript.Diagnostic {
		d := u.place(1, 1, codeLanguage, fmt.Sprintf("this is %s, and a script is TypeScript: %s", name, instead))
		return &d
	}
	if !s.Broken {
		return nil
	}
	if json.Valid([]byte(u.code)) {
		return say("JSON", "return the value, or pass it to a tool: await tools.server.tool({ … })")
	}
	for _, l := range languages() {
		if l.pattern.MatchString(u.code) {
			return say(l.name, l.instead)
		}
	}
	return nil
}

var entity = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`&(?:lt|gt|amp|quot|apos|nbsp|#\d{1,6}|#[xX][0-9a-fA-F]{1,6});`)
})

// entities returns a diagnostic if the text has HTML entities and compiles once they are
// decoded, or nil.
func (u unit) entities(s shim.Syntax) *toolscript.Diagnostic {
	at := entity().FindStringIndex(u.code)
	if at == nil {
		return nil
	}
	if !s.Broken {
		if len(s.Entities) == 0 {
			return nil
		}
		at = []int{s.Entities[0] - 1, s.Entities[0]}
	}
	decoded := u
	for range 2 { // a text may have been encoded twice
		decoded.code = html.UnescapeString(decoded.code)
		syntax := decoded.parse()
		if syntax.Broken {
			continue
		}
		if _, found := decoded.build(syntax); len(found) > 0 {
			continue
		}
		line := scripterror.Lines(u.code[:at[0]])
		text, _ := scripterror.Line(decoded.code, line)
		name := entity().FindString(u.code[at[0]:])
		d := u.at(at[0], codeLanguage, fmt.Sprintf("the script has HTML entities such as %s, and compiles without them: send %s itself, so that the line is: %s",
			name, html.UnescapeString(name), strings.TrimSpace(text)))
		return &d
	}
	return nil
}
