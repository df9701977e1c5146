package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/toolscript/toolscript"
)

// Limits for the skills of one server. They also limit how long the list of its tools is delayed.
const (
	maxSkills       = 1000
	maxSkillsListed = 8 << 20 // bytes of all pages together
	skillsTime      = 10 * time.Second
)

// skillsExtension is the name of MCP's extension for skills.
const skillsExtension = "io.modelcontextprotocol/skills"

// skillPages collects the skills of a server page by page.
type skillPages struct {
	listing
	skills []toolscript.Tool
}

// listSkills returns the skills of a server that has announced the extension. It leaves out skills that
// break the rules of the extension, and truncates a list above the limits; it reports both to
// Events.Log. If the server does not answer, listSkills returns no skills, so that the tools can still
// be used.
func (c *Conn) listSkills(ctx context.Context, tools map[string]bool) []toolscript.Tool {
	if !c.offers.skills {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, skillsTime)
	defer cancel()
	l := &skillPages{listing: listing{
		server: c.name, redact: c.redact, names: tools, cursors: make(map[string]bool),
		warn: func(format string, args ...any) { c.on.Logf(slog.LevelWarn, format, args...) },
	}}
	params := map[string]any{}
	for {
		raw, err := c.request(ctx, toolscript.Error{Server: c.name}, "skills/list", params, nil)
		var p struct {
			Skills     []json.RawMessage `json:"skills"`
			NextCursor string            `json:"nextCursor"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &p)
		}
		if err != nil {
			l.warn("skills/list: the skills are not known: %s", c.redact.Printable(err.Error()))
			return l.skills
		}
		if !l.add(p.Skills, len(raw)) || !l.more(p.NextCursor) {
			return l.skills
		}
		params = map[string]any{"cursor": p.NextCursor}
	}
}

// more reports whether another page should be requested.
func (l *skillPages) more(cursor string) bool {
	if cursor == "" {
		return false
	}
	if l.cursors[cursor] || len(l.cursors)+1 == maxPages {
		l.warn("skills/list: the pages do not end; what follows the first %d skills is left out", len(l.skills))
		return false
	}
	l.cursors[cursor] = true
	return true
}

// add adds the skills of a page. It reports whether another page may be added.
func (l *skillPages) add(page []json.RawMessage, size int) bool {
	l.size += size
	for _, raw := range page {
		if len(l.skills) == maxSkills || l.size > maxSkillsListed {
			l.warn("skills/list: the list is too long; what follows the first %d skills is left out", len(l.skills))
			return false
		}
		t, err := toolscript.ParseSkill(l.server, raw)
		if err == nil && l.names[t.Name] {
			err = fmt.Errorf("%.100q is listed already", t.Name)
		}
		if err != nil {
			l.warn("skills/list: left out %s: %s", l.redact.Quote(raw), l.redact.Printable(err.Error()))
			continue
		}
		l.names[t.Name] = true
		l.skills = append(l.skills, t)
	}
	return true
}
