package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

// The extension for skills. mcp-go does not know its methods.
const (
	skillsExtension  = "io.modelcontextprotocol/skills"
	methodSkillsList = "skills/list"
	methodSkillsGet  = "skills/get"
	skillScheme      = "skill://"
)

// skillsWait bounds how long the handshake waits until it is known whether there is a skill.
const skillsWait = time.Second

// announceSkills adds the extension to the capabilities if there is a skill.
func (e *entrance) announceSkills(hooks *server.Hooks) {
	if !e.Pass {
		return
	}
	announce := func(ctx context.Context, c *mcp.ServerCapabilities) {
		if e.hasSkill(ctx) {
			c.Extensions = maps.Clone(c.Extensions)
			c.Extensions[skillsExtension] = struct{}{}
		}
	}
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, r *mcp.InitializeResult) {
		announce(ctx, &r.Capabilities)
	})
	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, r *mcp.DiscoverResult) {
		announce(ctx, &r.Capabilities)
	})
}

func (e *entrance) hasSkill(ctx context.Context) bool {
	waiting, cancel := context.WithTimeout(ctx, skillsWait)
	defer cancel()
	g, release, err := e.Gateway(waiting)
	if err != nil {
		return false
	}
	defer release()
	asking, cancel := context.WithTimeout(ctx, skillsWait)
	defer cancel()
	page, err := skillPage(asking, g, "")
	return err == nil && len(page.Entries) > 0
}

func skillPage(ctx context.Context, g Gateway, cursor string) (toolscript.Page, error) {
	return pageOf(ctx, g, toolscript.FetchRequest{ID: toolscript.ListSkills, Selected: true, Cursor: cursor})
}

// servedURI returns the URI under which clients find a file of a skill, or a page. It contains the name of the
// server, because two servers may use the same URI. own is the scheme of such URIs.
func servedURI(own, server, uri string) string {
	scheme, path, _ := strings.Cut(uri, "://")
	if scheme+"://" != own {
		path = scheme + ":/" + path
	}
	return own + url.PathEscape(server) + "/" + path
}

// readSkillEntry reads an entry of a page.
func readSkillEntry(entry json.RawMessage) (toolscript.Tool, error) {
	var from struct{ Server string }
	if err := json.Unmarshal(entry, &from); err != nil {
		return toolscript.Tool{}, err
	}
	return toolscript.ParseSkill(from.Server, entry)
}

func served(t toolscript.Tool) map[string]any {
	return t.SkillEntry(func(uri string) string { return servedURI(skillScheme, t.Server, uri) })
}

// listSkills answers skills/list.
func listSkills(ctx context.Context, g Gateway, cursor string) (json.RawMessage, error) {
	page, err := skillPage(ctx, g, cursor)
	if err != nil {
		return nil, err
	}
	entries := []any{}
	for _, raw := range page.Entries {
		if t, err := readSkillEntry(raw); err == nil {
			entries = append(entries, served(t))
		}
	}
	result := map[string]any{string(toolscript.Skills): entries}
	if page.Next != "" {
		result["nextCursor"] = page.Next
	}
	return toolscript.PlainJSON(result)
}

// eachSkill calls use for each skill, until it returns false.
func eachSkill(ctx context.Context, g Gateway, use func(toolscript.Tool) bool) error {
	return each(ctx, g, toolscript.ListSkills, func(entry json.RawMessage) bool {
		t, err := readSkillEntry(entry)
		return err != nil || use(t)
	})
}

// getSkill answers skills/get.
func getSkill(ctx context.Context, g Gateway, uri string) (json.RawMessage, error) {
	var found map[string]any
	err := eachSkill(ctx, g, func(t toolscript.Tool) bool {
		if servedURI(skillScheme, t.Server, t.Name) == uri {
			found = served(t)
		}
		return found == nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, RPCCode: mcp.INVALID_PARAMS, Err: fmt.Errorf("there is no skill at %.200q", uri)}
	}
	return toolscript.PlainJSON(map[string]any{"skill": found})
}

// readSkill reads the file of a skill that clients find under a URI. It returns nil if there is none.
func readSkill(ctx context.Context, g Gateway, uri string) (json.RawMessage, error) {
	if !strings.HasPrefix(uri, skillScheme) {
		return nil, nil
	}
	o := toolscript.FetchRequest{ID: toolscript.ReadSkill, Selected: true}
	err := eachSkill(ctx, g, func(t toolscript.Tool) bool {
		own, is := ownURI(t, uri)
		if is {
			o.Server, o.URI = t.Server, own
		}
		return !is
	})
	if err != nil || o.URI == "" {
		return nil, nil //nolint:nilerr,nilnil // a resource may have this URI
	}
	raw, err := g.Fetch(ctx, o)
	if err != nil {
		return nil, err
	}
	var result struct {
		Contents []map[string]json.RawMessage `json:"contents"`
	}
	if err := json.Unmarshal(raw, &result); err != nil || len(result.Contents) != 1 {
		return nil, errors.Join(errors.New("the gateway's answer cannot be read"), err)
	}
	if result.Contents[0]["uri"], err = toolscript.PlainJSON(uri); err != nil {
		return nil, err
	}
	return toolscript.PlainJSON(result)
}

// ownURI returns the URI of the server for a file of one of its skills.
func ownURI(t toolscript.Tool, uri string) (own string, is bool) {
	root := strings.TrimSuffix(t.Name, "SKILL.md")
	path, is := strings.CutPrefix(uri, servedURI(skillScheme, t.Server, root))
	if !is {
		return "", false
	}
	_, is = t.SkillFile(root + path)
	return root + path, is
}

// withSkillURIs gives the files of skills in a list of resources the URIs under which they are served.
func withSkillURIs(ctx context.Context, g Gateway, entries []map[string]json.RawMessage, servers []string) {
	var skills []toolscript.Tool
	listed := false
	for i, fields := range entries {
		var uri string
		if json.Unmarshal(fields["uri"], &uri) != nil || !strings.HasPrefix(uri, skillScheme) && !strings.HasSuffix(uri, "/SKILL.md") {
			continue
		}
		if !listed {
			listed = true
			_ = eachSkill(ctx, g, func(t toolscript.Tool) bool { // without them, the resources keep their URIs
				skills = append(skills, t)
				return true
			})
		}
		for _, t := range skills {
			if _, has := t.SkillFile(uri); has && t.Server == servers[i] {
				fields["uri"], _ = json.Marshal(servedURI(skillScheme, t.Server, uri)) // a text always has a JSON form
				break
			}
		}
	}
}
