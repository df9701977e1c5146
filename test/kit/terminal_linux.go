package kit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal is a pseudo-terminal whose output is read all the time.
type Terminal struct {
	Screen   *os.File // terminal of the program
	Keyboard *os.File // what is written to it is typed
	output   *Buffer
	read     chan struct{} // closed when all output was read
}

// NewTerminal opens a terminal with 24 lines of this width, which is closed at the end of the test.
func NewTerminal(tb testing.TB, columns int) *Terminal {
	tb.Helper()
	terminal, err := OpenTerminal(24, columns)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = terminal.Close() }) // a test may have closed it
	return terminal
}

// OpenTerminal opens a terminal of this size. It copies the output to the writers, too.
func OpenTerminal(lines, columns int, also ...io.Writer) (*Terminal, error) {
	keyboard, screen, err := openPair(lines, columns)
	if err != nil {
		return nil, err
	}
	t := &Terminal{Screen: screen, Keyboard: keyboard, output: new(Buffer), read: make(chan struct{})}
	go func() {
		defer close(t.read)
		_, _ = io.Copy(io.MultiWriter(append(also, t.output)...), keyboard) // ends with an error when the terminal is closed
	}()
	return t, nil
}

// Raw returns every byte that programs have written so far.
func (t *Terminal) Raw() string { return t.output.String() }

// Shown is like Raw, with \n at the end of lines.
func (t *Terminal) Shown() string { return strings.ReplaceAll(t.Raw(), "\r\n", "\n") }

// Text returns what Shown returns when all programs have closed the terminal. It closes the terminal.
func (t *Terminal) Text() string {
	_ = t.Screen.Close() // the test checks the output
	<-t.read
	_ = t.Keyboard.Close()
	return t.Shown()
}

// Close closes both ends, even if a program still has the terminal open.
func (t *Terminal) Close() error {
	err := errors.Join(t.Screen.Close(), t.Keyboard.Close())
	<-t.read
	return err
}

// openPair opens both ends of a new terminal. It does not use Fd, which would make reading from the
// keyboard's end block its Close.
func openPair(lines, columns int) (keyboard, screen *os.File, err error) {
	if keyboard, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, err
	}
	conn, err := keyboard.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, keyboard.Close())
	}
	var number int
	var failed error
	err = conn.Control(func(fd uintptr) {
		number, failed = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		failed = errors.Join(failed, unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0),
			unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(lines), Col: uint16(columns)}))
	})
	if err = errors.Join(err, failed); err == nil {
		screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, keyboard.Close())
	}
	return keyboard, screen, nil
}
