package clients

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var (
	opencode = likeOpencode("opencode", "opencode", []string{"opencode", "opencode-ai"},
		"opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc")
	kilo = likeOpencode("kilo", "Kilo", []string{"kilo", "@kilocode/cli"},
		".kilo/kilo.json", ".kilo/kilo.jsonc", "kilo.json", "kilo.jsonc") // kilo is a fork of opencode
)

// likeOpencode returns a client that has the command and the arguments of a server in one list, and
// {env:NAME} for variables. Its file is JSON with or without comments. project are the paths in a project.
func likeOpencode(name, title string, programs []string, project ...string) Client {
	return Client{
		Name: name, Title: title, entry: listEntry, programs: programs, set: bracedMember, variables: "environment",
		files: func(p Places) []File {
			var own []File
			for _, path := range project {
				own = append(own, p.project(path, "mcp"))
			}
			return append(firstExisting(p.config(name+"/"+name+".json", "mcp"), p.config(name+"/"+name+".jsonc", "mcp")), firstExisting(own...)...)
		},
		translate: translateOpencode,
		off:       offField("enabled", false),
	}
}

func translateOpencode(t *translation) {
	t.words("command")
	t.rename("environment", "env")
	t.milliseconds("timeout", "startupTimeout") // timeout for listing the tools
	for field, value := range t.fields {
		t.fields[field] = mapTexts(value, t.bracedText)
	}
}

var bracedReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{(env|file):([^{}]+)\}`) })

// bracedText rewrites {env:NAME} as ${NAME}. {file:PATH}, the content of a file, becomes a variable.
func (t *translation) bracedText(text string) string {
	return bracedReference().ReplaceAllStringFunc(text, func(found string) string {
		kind, rest, _ := strings.Cut(found[1:len(found)-1], ":")
		if kind == "file" {
			return t.need(t.Name+"_file", fmt.Sprintf("%s takes it from the file %s", t.Client.Title, rest))
		}
		return "${" + rest + "}"
	})
}
