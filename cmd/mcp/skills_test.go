package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
)

// shelf has the skill notes at the servers docs and files, the latter under another scheme too, on pages of one
// skill.
type shelf struct {
	offering
	none bool
}

const anyDigest = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

var shelved = []string{
	`"server":"docs","uri":"skill://notes/SKILL.md"`, `"server":"files","uri":"repo://notes/SKILL.md"`, `"server":"files","uri":"skill://notes/SKILL.md"`,
}

func (s shelf) Fetch(ctx context.Context, o toolscript.FetchRequest) (json.RawMessage, error) {
	switch o.ID {
	case toolscript.ListSkills:
		at := 0
		_, _ = fmt.Sscan(o.Cursor, &at) // no cursor: the first page
		if s.none {
			return json.RawMessage(`{"skills":[]}`), nil
		}
		page := `{"skills":[{` + shelved[at] + `,"frontmatter":{"name":"notes","description":"d","license":"MIT"},"resources":[{` + strings.Split(shelved[at], ",")[1] + `,"digest":"` + anyDigest + `","size":0}]}]`
		if at+1 < len(shelved) {
			page += fmt.Sprintf(`,"nextCursor":"%d"`, at+1)
		}
		return json.RawMessage(page + "}"), nil
	case toolscript.ReadSkill:
		if o.Server == "docs" {
			return nil, &toolscript.Error{Kind: toolscript.InvalidResult, Server: "docs", Err: fmt.Errorf("its digest is wrong")}
		}
		return json.RawMessage(`{"contents":[{"uri":"` + o.URI + `","text":"of ` + o.Server + " " + o.URI + `"}]}`), nil
	case toolscript.ListResources:
		return json.RawMessage(`{"resources":[{"server":"files","uri":"skill://notes/SKILL.md","name":"notes"},{"server":"files","uri":"skill://docs/notes/SKILL.md","name":"forged"}]}`), nil
	}
	return s.offering.Fetch(ctx, o)
}

func TestServedSkills(t *testing.T) {
	o := plain(shelf{})
	o.Pass = true
	c := onStdio(t, o)
	for _, tt := range []struct{ method, params, want string }{
		{"skills/list", `{}`, `"result":{"nextCursor":"1","skills":[{"frontmatter":{"name":"notes","description":"d","license":"MIT"},"resources":[{"uri":"skill://docs/notes/SKILL.md","digest":"` + anyDigest + `","size":0}],"uri":"skill://docs/notes/SKILL.md"}]}`},
		{"skills/list", `{"cursor":"1"}`, `"uri":"skill://files/repo:/notes/SKILL.md"}]}`},
		{"skills/list", `{"cursor":"2",` + modernMeta + `}`, `"ttlMs":60000`},
		{"skills/get", `{"uri":"skill://files/notes/SKILL.md",` + modernMeta + `}`, `"cacheScope":"private","resultType":"complete","skill":{"frontmatter"`},
		{"skills/get", `{"uri":"skill://notes/SKILL.md"}`, `"error":{"code":-32602,`},
		{"skills/get", `{}`, `"error":{"code":-32602,`},
		{"resources/read", `{"uri":"skill://files/notes/SKILL.md"}`, `{"text":"of files skill://notes/SKILL.md","uri":"skill://files/notes/SKILL.md"}`},
		{"resources/read", `{"uri":"skill://files/repo:/notes/SKILL.md"}`, `{"text":"of files repo://notes/SKILL.md","uri":"skill://files/repo:/notes/SKILL.md"}`},
		{"resources/read", `{"uri":"skill://docs/notes/SKILL.md"}`, `"message":"docs: its digest is wrong"`},
		{"resources/read", `{"uri":"skill://files/notes/../notes/SKILL.md"}`, `"code":-32002`},
		{"resources/list", `{}`, `{"name":"notes","uri":"skill://files/notes/SKILL.md"}`},
	} {
		if got := c.ask(tt.method, tt.params); !strings.Contains(got, tt.want) {
			t.Errorf("%s %s: %s\nwant %s", tt.method, tt.params, got, tt.want)
		}
	}
}

// TestSkillsAreAnnounced: the extension is announced if there is a skill, in both generations of MCP.
func TestSkillsAreAnnounced(t *testing.T) {
	for _, none := range []bool{false, true} {
		for _, pass := range []bool{false, true} {
			o := plain(shelf{none: none})
			o.Pass = pass
			c := onStdio(t, o)
			for method, params := range map[string]string{
				"server/discover": `{` + modernMeta + `}`, "initialize": `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`,
			} {
				got := c.ask(method, params)
				if has := strings.Contains(got, `"io.modelcontextprotocol/skills":{}`); has != (pass && !none) || !strings.Contains(got, `"io.modelcontextprotocol/tasks":{}`) {
					t.Errorf("none %t, pass %t: %s: %s", none, pass, method, got)
				}
			}
		}
	}
}
