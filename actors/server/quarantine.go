package server

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/catalog"
	"github.com/toolscript/toolscript/actors/internal/mailbox"
	"github.com/toolscript/toolscript/actors/pin"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Review is the verdict about the texts of a list of tools.
type Review struct{ pin.Verdict }

// Again reviews the tools again, because the pins or their policy have changed. It is
// answered when the tools are published.
type Again struct {
	Reply mailbox.Reply[int] // receives the Reviews of the status that has the result
}

// reviewed is the result of Again.
type reviewed struct {
	tools  []toolscript.Tool // the list that was reviewed
	review Review
	reply  mailbox.Reply[int]
}

// examine reviews a list of tools. It may read and write a file, so it runs in a
// goroutine of its own.
func (o Options) examine(instructions string, tools []toolscript.Tool) Review {
	if o.Review == nil {
		return Review{}
	}
	return o.Review(instructions, tools)
}

func (s *Server) again(m Again) {
	tools, instructions, options, post := s.all, s.info.Instructions, s.Options, s.post
	s.Work.Go(func() { post(reviewed{tools, options.examine(instructions, tools), m.Reply}) }, func(err error) { m.Reply.Send(0, err) })
}

// reviewed publishes the tools again, unless the server has listed others meanwhile.
func (s *Server) reviewed(m reviewed) {
	if same := len(m.tools) == len(s.all) && (len(m.tools) == 0 || &m.tools[0] == &s.all[0]); same {
		s.choose(s.all, m.review)
		s.announceTools()
		s.tell(catalog.ServerChanged{Status: s.status()})
	}
	m.reply.Send(s.reviews, nil)
}

// TextRead reports that a file of a skill was read, with the suspicions about its text.
type TextRead struct {
	Skill, Where string
	Suspicions   []toolscript.Suspicion
}

// ReadText examines a file of a skill.
func ReadText(skill toolscript.Tool, file upstream.VerifiedFile) TextRead {
	where := strings.TrimPrefix(file.URI, strings.TrimSuffix(skill.Name, "SKILL.md"))
	return TextRead{skill.Name, where, pin.SuspicionsOfFile(skill.Name, where, file.Text)}
}

// maxTexts bounds the suspicious files in a status.
const maxTexts = 50

// textRead replaces the findings about a file by those about its current text.
func (s *Server) textRead(m TextRead) {
	rest := slices.DeleteFunc(slices.Clone(s.texts), func(t TextRead) bool { return t.Skill == m.Skill && t.Where == m.Where })
	if len(m.Suspicions) == 0 && len(rest) == len(s.texts) {
		return
	}
	s.texts = rest
	if len(m.Suspicions) > 0 {
		s.texts = append(rest[max(0, len(rest)-maxTexts+1):], m)
	}
	for _, f := range m.Suspicions {
		s.log.write(slog.LevelWarn, "suspicious text", slog.String("skill", f.Tool), slog.String("where", f.Where), slog.String("shape", f.Shape), slog.String("text", f.Text))
	}
	s.tell(catalog.ServerChanged{Status: s.status()})
}

// Quarantine returns the error of a call of a tool that a review holds because of a change.
func Quarantine(tool toolscript.Tool, c toolscript.PinChange) *toolscript.Error {
	why := "its " + strings.Join(c.Parts, ", ") + " changed after it was pinned"
	switch {
	case c.Kind == toolscript.PinNew:
		why = "it is new: server " + tool.Server + " did not have it when it was pinned"
	case c.Kind == toolscript.PinUnreadable:
		why = "the pins of server " + tool.Server + " cannot be read"
	case c.Tool == "":
		why = "the definition of server " + tool.Server + " changed after it was pinned"
	}
	return &toolscript.Error{Kind: toolscript.Quarantined, Server: tool.Server, Tool: tool.Name, Err: fmt.Errorf("%s is in quarantine: %s", tool.ID(), why),
		Next: "see: " + toolscript.Command("pins", "diff", tool.Server) + "; a person accepts it with: " + c.Accept}
}

// quarantined returns the error of a call that the review does not allow; nil if it does.
func (s *Server) quarantined(m Call) error {
	if m.Fetch != nil || !s.review.Holds(m.own()) {
		return nil
	}
	for _, c := range s.review.Changes {
		if c.Held && (c.Tool == "" || c.Tool == m.own()) {
			return Quarantine(toolscript.Tool{Server: s.Name, Name: m.Tool}, c)
		}
	}
	return nil
}

// refuseHeld fails waiting calls of tools that the review holds.
func (s *Server) refuseHeld() {
	s.queue.refuseIf(func(w waiting) bool { return s.quarantined(w.Call) != nil }, func(w waiting) error { return s.quarantined(w.Call) })
}

// logReview logs the findings of the current review that the review before did not have.
func (s *Server) logReview(before Review) {
	known := map[string]bool{}
	for _, c := range before.Changes {
		known["pin "+c.Tool+c.Diff] = true
	}
	for _, f := range before.Suspicions {
		known["text "+f.Tool+f.Where+f.Text] = true
	}
	for _, c := range s.review.Changes {
		if !known["pin "+c.Tool+c.Diff] {
			s.log.write(slog.LevelWarn, "not as pinned", slog.String("tool", c.Tool), slog.String("kind", c.Kind), slog.Any("parts", c.Parts),
				slog.Bool("quarantine", c.Held), slog.String("see", toolscript.Command("pins", "diff", s.Name)))
		}
	}
	for _, f := range s.review.Suspicions {
		if !known["text "+f.Tool+f.Where+f.Text] {
			s.log.write(slog.LevelWarn, "suspicious text", slog.String("tool", f.Tool), slog.String("where", f.Where), slog.String("shape", f.Shape), slog.String("text", f.Text))
		}
	}
}
