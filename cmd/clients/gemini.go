package clients

import (
	"fmt"
	"path"
	"slices"
)

// gemini also accepts $NAME as a variable. Its url may be a server with either HTTP
// transport; httpUrl is always one with streamable HTTP.
var gemini = Client{
	Name: "gemini", Title: "Gemini CLI", entry: plainEntry, bare: true, programs: []string{"gemini", "@google/gemini-cli"}, set: dollarMember,
	files: func(p Places) []File {
		return []File{p.user(".gemini/settings.json", "mcpServers").connected(), p.project(".gemini/settings.json", "mcpServers").connected()}
	},
	translate: translateGemini,
	excluded:  geminiExcluded,
	off:       offListed("mcp", "excluded"),
}

func translateGemini(t *translation) {
	t.drop("description", "extensionName", "extension")
	t.loseApprovals("trust")
	t.rename("httpUrl", "url")
	t.lose("tcp", "toolscript has no transport over websocket")
	for _, field := range []string{"authProviderType", "targetAudience", "targetServiceAccount"} {
		t.lose(field, "toolscript logs in with OAuth only")
	}
	t.login("scopes", "enabled", "authorizationUrl", "tokenUrl", "redirectUri", "tokenParamName", "registrationUrl", "audiences")
}

// geminiExcluded applies the lists of names and patterns in mcp.allowed and mcp.excluded.
func geminiExcluded(_ Places, _ File, root any, name string) bool {
	in := func(field string) (listed, matches bool) {
		list, _ := object(object(root)["mcp"])[field].([]any)
		return len(list) > 0, slices.ContainsFunc(list, func(item any) bool {
			matched, err := path.Match(fmt.Sprint(item), name)
			return item == name || err == nil && matched
		})
	}
	limited, allowed := in("allowed")
	_, excluded := in("excluded")
	return excluded || limited && !allowed
}
