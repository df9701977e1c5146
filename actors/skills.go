package actors

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/transport/upstream"
)

// skills answers the requests for skills. The list and the entries of listed skills are answered from the catalog.
// An unlisted skill and the files of all skills are requested from the server.
func (s *System) skills(ctx context.Context, view catalog.View, o toolscript.FetchRequest) (_ json.RawMessage, err error) {
	if list := o.ID == toolscript.ListSkills; (o.Server != "" || !list) && (!view.Catalog.HasServer(o.Server) || !o.Allow.Reaches(o.Server)) {
		return nil, unknownServer(view, o.Server, o.Allow)
	}
	if o.ID == toolscript.ListSkills {
		page := view.Skills(o)
		for _, m := range missingServers(view, toolscript.SearchQuery{Allow: o.Allow}) {
			if o.Cursor == "" && (o.Server == "" || o.Server == m.Name) {
				page.Missing = append(page.Missing, toolscript.Missing{Server: m.Name, Kind: toolscript.Unavailable, Error: cmp.Or(m.Error, string(m.State))})
			}
		}
		return toolscript.PlainJSON(page)
	}
	skill, known := view.Skill(o)
	if !known {
		skill, err = s.unlistedSkill(ctx, view, o)
	}
	if err != nil {
		return nil, err
	}
	if o.ID != toolscript.GetSkill {
		return s.readSkill(ctx, o, skill)
	}
	if err := s.unusable(o, skill); err != nil {
		return nil, err
	}
	return toolscript.PlainJSON(map[string]any{"skill": skill.SkillEntry(nil)})
}

// unusable returns an error if pins are in quarantine mode and the skill has no digests: no person can have accepted
// such a skill.
func (s *System) unusable(o toolscript.FetchRequest, skill toolscript.Tool) error {
	if len(skill.Skill.Files) > 0 || !s.quarantines() {
		return nil
	}
	return upstream.UnusableSkill(o, errors.New("pins are in quarantine mode, and its server gives no digests of it"))
}

// readResource reads a resource. A file of a skill is read by readSkill, and not at all while the skill is in
// quarantine.
func (s *System) readResource(ctx context.Context, view catalog.View, o toolscript.FetchRequest) (json.RawMessage, error) {
	all := o
	all.Allow = nil // the run may read the resources of the server
	if skill, known := view.Skill(all); known {
		return s.readSkill(ctx, o, skill)
	}
	for _, known := range view.Servers {
		for _, c := range known.Pins {
			if _, is := toolscript.SkillName(c.Tool); known.Name == o.Server && c.Held && is && toolscript.HasSkillFile(c.Tool, o.URI) {
				return nil, server.Quarantine(toolscript.Tool{Server: known.Name, Name: c.Tool}, c)
			}
		}
	}
	return s.fetchFrom(ctx, o)
}

// unlistedSkill asks the server for a skill that it serves and does not list.
func (s *System) unlistedSkill(ctx context.Context, view catalog.View, o toolscript.FetchRequest) (toolscript.Tool, error) {
	missing := &toolscript.Error{Kind: toolscript.NotFound, Server: o.Server, Err: fmt.Errorf("it has no skill with the file %.200q", o.URI), Next: "see: " + toolscript.Command("skills", o.Server)}
	name, is := toolscript.SkillName(o.URI)
	asked := toolscript.Tool{Server: o.Server, Name: o.URI, Title: name, Skill: &toolscript.Skill{}}
	if !is || !toolscript.HasSkillFile(o.URI, o.URI) || !o.Allow.Match(asked) {
		return asked, missing
	}
	if err := held(view, asked.ID(), nil); err != nil {
		return asked, err
	}
	if s.quarantines() {
		return asked, missing // a person could not have accepted it
	}
	one := o
	one.ID, one.Selected = toolscript.GetSkill, true
	raw, err := s.fetchFrom(ctx, one)
	var e *toolscript.Error
	switch {
	case errors.Is(err, upstream.ErrNoCapability), errors.As(err, &e) && e.RPCCode != 0:
		return asked, missing
	case err != nil:
		return asked, err
	}
	return upstream.GotSkill(o, raw)
}

// quarantines reports whether only accepted tools and skills may be used.
func (s *System) quarantines() bool {
	policy := s.options.Pins.Policy
	return policy != nil && policy() == toolscript.PinsQuarantine
}

// readSkill reads a file of a skill. Its bytes must match the entry of the skill, and so must the frontmatter of
// SKILL.md.
func (s *System) readSkill(ctx context.Context, o toolscript.FetchRequest, skill toolscript.Tool) (json.RawMessage, error) {
	if err := s.unusable(o, skill); err != nil {
		return nil, err
	}
	read := o
	read.ID, read.Selected = toolscript.ReadResource, false
	raw, err := s.fetchFrom(ctx, read)
	if err != nil {
		return nil, err
	}
	convert := s.Convert
	if s.options.Scripts.StartConverter == nil {
		convert = nil
	}
	file, err := upstream.VerifySkill(ctx, convert, skill, o, raw)
	if err == nil && skill.Server != toolscript.ScriptsServer { // a user trusts scripts by their text
		s.directory.Pass(serverID(o.Server), server.ReadText(skill, file))
	}
	return file.Answer, err
}
