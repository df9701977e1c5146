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

// asEcho is the argument that makes this program an echo process.
const asEcho = "be-an-echo"

// message is the size of a small tool call, in bytes.
const message = 200

// echo copies its standard input to its standard output with plain read and write calls.
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

// neighbour is an echo process. Its round trip takes the minimum time of any path through another
// process, on this machine at this moment.
type neighbour struct {
	cmd      *exec.Cmd
	in, out  *os.File
	to, from int // blocking descriptors of in and out
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
	// The process ends with its input.
	n := &neighbour{cmd: exec.Command(self, asEcho), in: in, out: out}
	n.cmd.Stdin, n.cmd.Stdout, n.cmd.Stderr = theirs, answers, os.Stderr
	err = errors.Join(n.cmd.Start(), theirs.Close(), answers.Close())
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	n.to, n.from = int(in.Fd()), int(out.Fd())
	return n, nil
}

// roundTrip returns the mean time of the given number of messages, in µs.
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
				return 0, fmt.Errorf("the neighbour process has ended: %w", errors.Join(err, n.cmd.Wait()))
			}
			got += piece
		}
	}
	return 1000 * milliseconds(time.Since(begin)) / float64(times), nil
}

func (n *neighbour) close() {
	_ = n.in.Close() // ends the process
	_ = n.cmd.Wait()
	_ = n.out.Close()
}
