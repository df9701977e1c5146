package terminal

import (
	"context"

	"github.com/toolscript/toolscript"
)

// askPage shows the address of the page that a server wants the user to open, and opens it if the
// user agrees. The address is complete and its host is on a line of its own, because a server chooses them.
func (p *Person) askPage(ctx context.Context, q toolscript.Question, answer toolscript.Answer) toolscript.Answer {
	p.say("It wants you to open this page in your browser:\n  %s\n  host: %s", OneLine(q.URL), OneLine(q.Host()))
	if warning := q.Warning(); warning != "" {
		p.say("  note: %s", warning)
	}
	if !p.agrees("Open it? [yes/no] ", &answer) {
		return answer
	}
	if err := p.browse(ctx, q.URL); err != nil {
		p.say("The browser could not be opened: open the address above in one.")
	}
	return answer
}

// Finished tells the user that a server has reported a page as finished.
func (p *Person) Finished(q toolscript.Question) {
	p.say("%s: the page at %s is finished.", Visible(q.Server), OneLine(q.Host()))
}
