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

// terminal is the controlling terminal, where a person answers questions while
// the standard streams belong to the script.
const terminal = "/dev/tty"

// person sits at the terminal.
type person struct {
	in  *bufio.Reader
	out io.WriteCloser

	mu sync.Mutex // one question at a time
}

// person is nil when nobody sits there, and under --json, where a program reads.
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

// close ends a read that waits, where the system can.
func (p *person) close() {
	if p != nil {
		_ = p.out.Close() // nobody is left to tell
	}
}

// reply puts a question to the person and passes the answer on. An answer that
// the gateway does not take is asked for again.
func (p *person) reply(ctx context.Context, at place, runID string, q toolscript.Question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil {
		answer := p.ask(q)
		err := at.ReplyRun(ctx, runID, answer)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.say("toolscript: the answer was not taken: %s", oneLine(err.Error()))
		if toolscript.KindOf(err) != toolscript.Invalid {
			return
		}
	}
}

// ask is the answer of the person; that of one who has left is Cancel.
func (p *person) ask(q toolscript.Question) toolscript.Answer {
	answer := toolscript.Answer{ID: q.ID, Action: toolscript.Cancel}
	p.say("\n%s asks: %s", visible(q.Server), oneLine(q.Message))
	fields, err := fieldsOf(q.Schema)
	if err != nil {
		p.say("toolscript: the question cannot be shown: %v", err)
		return answer
	}
	choice, ok := p.line("Answer it? [yes/no] ")
	if !ok {
		return answer
	}
	if !strings.HasPrefix(strings.ToLower(choice), "y") {
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
	_, _ = fmt.Fprintf(p.out, format+"\n", args...) // who does not see it does not answer
}

// line asks for one line; ok is false when the person has left.
func (p *person) line(prompt string) (text string, ok bool) {
	_, _ = io.WriteString(p.out, prompt) // as in say
	text, err := p.in.ReadString('\n')
	return strings.TrimSpace(text), err == nil
}
