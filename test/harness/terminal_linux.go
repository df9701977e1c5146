package harness

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Terminal is a pseudo-terminal for a program that shows something to a person.
type Terminal struct {
	File   *os.File // terminal of the program
	master *os.File
	read   chan struct{} // closed when all output was read
}

// OpenTerminal opens a terminal, and calls line for each line of its output in order.
func OpenTerminal(line func(string)) (*Terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	number, err := unlock(int(master.Fd()))
	if err != nil {
		return nil, errors.Join(err, master.Close())
	}
	file, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, errors.Join(err, master.Close())
	}
	t := &Terminal{File: file, master: master, read: make(chan struct{})}
	go func() {
		defer close(t.read)
		lines := bufio.NewScanner(master) // ends with an error when the terminal is closed
		for lines.Scan() {
			line(strings.TrimSuffix(lines.Text(), "\r"))
		}
	}()
	return t, nil
}

func unlock(fd int) (number int, err error) {
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return 0, err
	}
	return unix.IoctlGetInt(fd, unix.TIOCGPTN)
}

// Close waits until the last line was passed on. The program must have closed the terminal.
func (t *Terminal) Close() error {
	err := t.File.Close()
	<-t.read
	return errors.Join(err, t.master.Close())
}
