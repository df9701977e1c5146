//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// asEcho is the argument that makes this program send back what it is sent.
const asEcho = "be-an-echo"

// message is as long as a small tool call.
const message = 200

// echo sends everything back, with nothing between it and the system.
func echo() {
	buffer := make([]byte, message)
	for {
		n, err := syscall.Read(0, buffer)
		if err != nil || n == 0 {
			return
		}
		if _, err := syscall.Write(1, buffer[:n]); err != nil {
			return
		}
	}
}

// neighbour is another process that sends back what it is sent: what a message
// there and back takes is what any way through another process takes at least,
// on this machine and at this moment.
type neighbour struct {
	cmd      *exec.Cmd
	in, out  *os.File
	to, from int // their descriptors, which block
}

func newNeighbour(self string) (*neighbour, error) {
	theirs, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, answers, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirs.Close(), in.Close())
	}
	// It ends with its input.
	n := &neighbour{cmd: exec.Command(self, asEcho), in: in, out: out}
	n.cmd.Stdin, n.cmd.Stdout, n.cmd.Stderr = theirs, answers, os.Stderr
	err = errors.Join(n.cmd.Start(), theirs.Close(), answers.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	n.to, n.from = int(in.Fd()), int(out.Fd())
	return n, nil
}

// roundTrip is the mean time of so many messages, in µs.
func (n *neighbour) roundTrip(times int) (float64, error) {
	buffer := make([]byte, message)
	begin := time.Now()
	for range times {
		if _, err := syscall.Write(n.to, buffer); err != nil {
			return 0, err
		}
		for got := 0; got < message; {
			piece, err := syscall.Read(n.from, buffer)
			if err != nil || piece == 0 {
				return 0, fmt.Errorf("the process beside has gone: %w", errors.Join(err, n.cmd.Wait()))
			}
			got += piece
		}
	}
	return 1000 * milliseconds(time.Since(begin)) / float64(times), nil
}

func (n *neighbour) close() {
	_ = n.in.Close() // it ends with its input
	_ = n.cmd.Wait()
	_ = n.out.Close()
}
