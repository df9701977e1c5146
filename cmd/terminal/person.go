package terminal

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/toolscript/toolscript"
)

// tty is the controlling terminal. The user answers questions there, because the
// standard streams belong to the script.
const tty = "/dev/tty"

// Person is the user at the terminal.
type Person struct {
	in  *bufio.Reader
	out io.WriteCloser

	complete func(text string) string                        // may be nil; see OpenPerson
	browse   func(ctx context.Context, address string) error // see OpenPerson

	mu sync.Mutex // held during a question
}

// OpenPerson opens the terminal, or returns nil if there is none. complete makes the commands in
// a text complete; nil leaves texts as they are. browse opens an address in the browser of the user.
func OpenPerson(complete func(text string) string, browse func(ctx context.Context, address string) error) *Person {
	f, err := os.OpenFile(tty, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return &Person{in: bufio.NewReader(f), out: f, complete: complete, browse: browse}
}

// Close closes the terminal, which also ends a read in progress if the system supports that.
func (p *Person) Close() {
	if p != nil {
		_ = p.out.Close() // nobody would see a write error
	}
}

// Replier sends the answer to the run of a question.
type Replier interface {
	ReplyRun(ctx context.Context, runID string, answer toolscript.Answer) error
}

// Reply asks the user a question and sends the answer to the run. If the gateway refuses
// the answer, Reply asks again.
func (p *Person) Reply(ctx context.Context, at Replier, runID string, q toolscript.Question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil {
		answer := p.ask(ctx, q)
		err := at.ReplyRun(ctx, runID, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.say("toolscript: the answer was refused: %s", OneLine(err.Error()))
		if toolscript.KindOf(err) != toolscript.Invalid {
			return
		}
	}
}

// ask returns the answer of the user, or Cancel if the input has ended.
func (p *Person) ask(ctx context.Context, q toolscript.Question) toolscript.Answer {
	answer := toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}
	p.say("\n%s asks: %s", Visible(q.Server), OneLine(q.Message))
	if q.URL != "" {
		return p.askPage(ctx, q, answer)
	}
	form, err := toolscript.NewFlatForm(q.Schema)
	var fields []field
	if err == nil {
		fields, err = fieldsOf(form)
	}
	if err != nil {
		p.say("toolscript: the question cannot be shown: %v", err)
		return answer
	}
	if !p.agrees("Answer it? [yes/no] ", &answer) {
		return answer
	}
	answer.Action = toolscript.Cancel
	if content, ok := p.fill(fields); ok {
		if content, err = form.Nest(content); err == nil {
			answer.Action, answer.Content = toolscript.Accept, content
		}
	}
	return answer
}

// agrees asks for yes or no, and sets the action of the answer. It returns false for no, and if the
// input has ended.
func (p *Person) agrees(prompt string, answer *toolscript.Answer) bool {
	yes, ok := p.yes(prompt)
	switch {
	case yes:
		answer.Action = toolscript.Accept
	case ok:
		answer.Action = toolscript.Decline
	}
	return yes
}

func (p *Person) say(format string, args ...any) {
	text := fmt.Sprintf(format+"\n", args...)
	if p.complete != nil {
		text = p.complete(text)
	}
	_, _ = io.WriteString(p.out, text) // a user who does not see the question does not answer it
}

// yes asks until the answer is yes or no. ok is false if the input has ended.
func (p *Person) yes(prompt string) (yes, ok bool) {
	for {
		text, ok := p.line(prompt)
		if !ok {
			return false, false
		}
		switch strings.ToLower(text) {
		case "y", "yes":
			return true, true
		case "n", "no":
			return false, true
		}
		p.say("  answer yes or no")
	}
}

// line asks for one line. ok is false if the input has ended.
func (p *Person) line(prompt string) (text string, ok bool) {
	_, _ = io.WriteString(p.out, prompt) // see say
	text, err := p.in.ReadString('\n')
	return strings.TrimSpace(text), err == nil
}
