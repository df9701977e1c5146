package catalog

import (
	"github.com/toolscript/toolscript"
)

// skillPage is the number of skills of a page.
const skillPage = 100

// Skills returns a page of skills. Its cursor is the id of the last skill of the page before.
func (v View) Skills(o toolscript.FetchRequest) toolscript.Page {
	page := toolscript.Page{Of: toolscript.Skills}
	for _, t := range v.Catalog.Skills() {
		if o.Server != "" && t.Server != o.Server || t.ID() <= o.Cursor || !o.Allow.Match(t) {
			continue
		}
		if len(page.Entries) == skillPage {
			page.Next = o.Cursor
			break
		}
		entry := t.SkillEntry(nil)
		entry["server"] = t.Server
		text, err := toolscript.PlainJSON(entry)
		if err != nil {
			continue // impossible: the frontmatter was JSON
		}
		page.Entries, o.Cursor = append(page.Entries, text), t.ID()
	}
	return page
}

// Skill returns the skill that contains the requested file. With GetSkill, the file must be the SKILL.md of the
// skill. The SKILL.md of a skill within another skill belongs to the inner skill.
func (v View) Skill(o toolscript.FetchRequest) (skill toolscript.Tool, has bool) {
	for _, t := range v.Catalog.Skills() {
		if t.Server != o.Server || !o.Allow.Match(t) || t.Name != o.URI && (has || o.ID == toolscript.GetSkill) {
			continue
		}
		if _, in := t.SkillFile(o.URI); in {
			skill, has = t, true
		}
	}
	return skill, has
}
