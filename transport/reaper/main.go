package reaper

import (
	"bufio"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	politeTime = 400 * time.Millisecond // between SIGTERM and SIGKILL: the ends of their pipes have told the servers already
	killTime   = 5 * time.Second        // after which what cannot be killed is left
	lookAgain  = 10 * time.Millisecond
)

// Main is the second process: it waits for the end of the program and ends what
// it left behind. It returns the exit code.
func Main() int {
	// Who wants this process gone ends the program first.
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	renameProcess()
	left := listen(os.Stdin)
	left.end()
	return 0
}

// remains are what a program has left running.
type remains struct {
	mark   string
	groups map[int]bool
}

// listen reads until the program has gone. A line that is cut off in the middle
// is of a program that was killed while it wrote.
func listen(program io.Reader) remains {
	left := remains{groups: map[int]bool{}}
	lines := bufio.NewReader(program)
	for {
		text, err := lines.ReadString('\n')
		if err != nil {
			return left
		}
		left.take(strings.TrimSuffix(text, "\n"))
	}
}

func (r *remains) take(text string) {
	leader, err := strconv.Atoi(strings.TrimLeft(text, "+-"))
	switch {
	case strings.HasPrefix(text, markName+"="):
		r.mark = text
	case err != nil || leader <= 1: // 1 and 0 would be all processes there are
	case text[0] == '+':
		r.groups[leader] = true
	case text[0] == '-':
		delete(r.groups, leader)
	}
}

// end asks what is left to end, and kills what does not. A look that finds
// nothing is the last: what is left can only come from what is left.
func (r *remains) end() {
	began := time.Now()
	for sent := syscall.Signal(0); ; {
		alive := r.signal(0)
		spent := time.Since(began)
		switch {
		case !alive || spent > killTime:
			return
		case sent == 0:
			sent = syscall.SIGTERM
			r.signal(sent)
		case spent > politeTime:
			r.signal(syscall.SIGKILL) // each time, for what was forked meanwhile
		}
		time.Sleep(lookAgain)
	}
}
