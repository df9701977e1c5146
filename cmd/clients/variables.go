package clients

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// variable is a reference in a client's own form, such as ${env:NAME}.
type variable struct {
	*translation
	kind, rest string // parts of ${kind:rest}
}

var (
	braced = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^{}]*)\}`) })
	dollar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$([A-Za-z_]\w*)`) })
)

// expandAll rewrites the references in all texts of the server as ${NAME}.
func (t *translation) expandAll() {
	for name, value := range t.fields {
		t.fields[name] = mapTexts(value, t.expandText)
	}
}

// mapTexts changes each text of a value, in place where possible.
func mapTexts(value any, change func(string) string) any {
	switch v := value.(type) {
	case string:
		return change(v)
	case []any:
		for i, item := range v {
			v[i] = mapTexts(item, change)
		}
	case map[string]any:
		for name, field := range v {
			v[name] = mapTexts(field, change)
		}
	}
	return value
}

func (t *translation) expandText(text string) string {
	if t.Client.bare {
		text = dollar().ReplaceAllString(text, "$${$1}")
	}
	if t.Client.expand == nil {
		return text
	}
	return braced().ReplaceAllStringFunc(text, func(found string) string {
		kind, rest, _ := strings.Cut(found[2:len(found)-1], ":")
		if expanded, ok := t.Client.expand(variable{t, kind, rest}); ok {
			return expanded
		}
		return found
	})
}

// editorVariable translates the references of VS Code, some of which other editors have
// too.
func editorVariable(v variable) (string, bool) {
	switch v.kind {
	case "env":
		return "${" + v.rest + "}", v.rest != ""
	case "userHome":
		return v.places.Home, true
	case "workspaceFolder", "workspaceRoot":
		return v.workspace()
	case "workspaceFolderBasename":
		return filepath.Base(v.places.Project), v.File.Project
	case "pathSeparator", "/":
		return string(filepath.Separator), true
	case "input":
		return v.need(v.rest, cmp.Or(v.asked[v.rest], v.Client.Title+" asks for it")), true
	}
	if v.rest == "" || strings.HasPrefix(v.rest, "-") {
		return "", false
	}
	return v.need(v.kind+"_"+v.rest, fmt.Sprintf("%s has ${%s:%s}, which toolscript does not support", v.Client.Title, v.kind, v.rest)), true
}

// workspace returns the project's folder. The servers of a project run in it.
func (v variable) workspace() (string, bool) {
	if !v.File.Project {
		return v.need(v.kind, v.Client.Title+" uses the open folder instead"), true
	}
	if cwd, ok := v.fields["cwd"].(string); ok && !strings.HasPrefix(cwd, "${workspaceFolder}") && cwd != "." {
		return v.places.Project, true
	}
	return ".", true
}

// need returns a reference to a variable named after a text, and notes why the variable must be set.
func (t *translation) need(name, why string) string {
	name = variableName(name)
	if t.needed[name] == "" {
		t.needed[name] = why
	}
	return "${" + name + "}"
}

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Z0-9]+`) })

// variableName converts a text to the name of an environment variable.
func variableName(text string) string {
	text = notInNames().ReplaceAllString(strings.ToUpper(text), "_")
	text = strings.Trim(text, "_")
	if text == "" || text[0] >= '0' && text[0] <= '9' {
		text = "MCP_" + text
	}
	return strings.TrimSuffix(text, "_")
}
