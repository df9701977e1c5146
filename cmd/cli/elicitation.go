package cli

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

// terminal is the controlling terminal. The user answers questions there, because the
// standard streams belong to the script.
const terminal = "/dev/tty"

// person is the user at the terminal.
type person struct {
	in  *bufio.Reader
	out io.WriteCloser

	mu sync.Mutex // one question at a time
}

// person is nil if there is no terminal, and with --json, which programs use.
func (o *execOptions) person() *person {
	if o.json || o.only || !isTerminal(o.Stdin) {
		return nil
	}
	tty, err := os.OpenFile(terminal, os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	return &person{in: bufio.NewReader(tty), out: tty}
}

// close also ends a read in progress, if the system supports that.
func (p *person) close() {
	if p != nil {
		_ = p.out.Close() // a write error has no reader
	}
}

// reply asks the user a question and sends the answer to the run. If the gateway refuses
// the answer, the question is asked again.
func (p *person) reply(ctx context.Context, at place, runID string, q toolscript.Question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil {
		answer := p.ask(q)
		err := at.ReplyRun(ctx, runID, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.say("toolscript: the answer was refused: %s", oneLine(err.Error()))
		if toolscript.KindOf(err) != toolscript.Invalid {
			return
		}
	}
}

// ask returns the answer of the user; it is Cancel after the end of the input.
func (p *person) ask(q toolscript.Question) toolscript.Answer {
	answer := toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}
	p.say("\n%s asks: %s", visible(q.Server), oneLine(q.Message))
	fields, err := fieldsOf(q.Schema)
	if err != nil {
		p.say("toolscript: the question cannot be shown: %v", err)
		return answer
	}
	yes, ok := p.yes("Answer it? [yes/no] ")
	if !ok {
		return answer
	}
	if !yes {
		answer.Action = toolscript.Decline
		return answer
	}
	content, ok := p.fill(fields)
	if !ok {
		return answer
	}
	answer.Action, answer.Content = toolscript.Accept, content
	return answer
}

func (p *person) say(format string, args ...any) {
	_, _ = fmt.Fprintf(p.out, format+"\n", args...) // a user who does not see the question does not answer it
}

// yes asks until the answer is yes or no; ok is false at the end of the input.
func (p *person) yes(prompt string) (yes, ok bool) {
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

// line asks for one line; ok is false at the end of the input.
func (p *person) line(prompt string) (text string, ok bool) {
	_, _ = io.WriteString(p.out, prompt) // as in say
	text, err := p.in.ReadString('\n')
	return strings.TrimSpace(text), err == nil
}
