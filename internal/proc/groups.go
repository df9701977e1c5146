package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// groups lists the process groups to end in a file that the second process reads. The first
// line of the file is the mark. All other lines have the same length. Each contains a leader, or
// 0 for an unused line, and the words of the Installation of that group. Each change is one short
// write, so that the file is consistent if the program is killed.
type groups struct {
	file *os.File
	at   map[int]int64 // offset of the line of each leader
	free []int64       // offsets of lines with 0
	left map[int]bool  // leaders of groups that must not be ended; the lines of these groups have the negative number
	end  int64         // offset of the end of the last line
}

const lineSize = 64 // a process id of at most 10 digits, a key of 16, and the words of a package manager

func newGroups(mark string) (*groups, error) {
	file, err := unnamedFile()
	if err != nil {
		return nil, fmt.Errorf("create a file for process groups: %w", err)
	}
	n, err := file.WriteString(mark + "\n")
	if err != nil {
		_ = file.Close() // the first error is returned
		return nil, err
	}
	return &groups{file: file, at: map[int]int64{}, left: map[int]bool{}, end: int64(n)}, nil
}

func (g *groups) add(leader int, install Installation) error {
	offset := g.end
	if n := len(g.free); n > 0 {
		offset, g.free = g.free[n-1], g.free[:n-1]
	} else {
		g.end += lineSize
	}
	g.at[leader] = offset
	return g.write(offset, leader, install...)
}

func (g *groups) remove(leader int) error {
	offset, known := g.at[leader]
	if !known {
		return nil
	}
	delete(g.at, leader)
	delete(g.left, leader)
	g.free = append(g.free, offset)
	return g.write(offset, 0)
}

// spare marks a group whose processes must outlive the program.
func (g *groups) spare(leader int) error {
	offset, known := g.at[leader]
	if !known {
		return nil
	}
	g.left[leader] = true
	return g.write(offset, -leader)
}

func (g *groups) write(offset int64, leader int, install ...string) error {
	line := strings.Join(append([]string{strconv.Itoa(leader)}, install...), " ")
	if len(line) >= lineSize {
		line = strconv.Itoa(leader)
	}
	_, err := g.file.WriteAt(fmt.Appendf(nil, "%-*s\n", lineSize-1, line), offset)
	return err
}

// remains returns the processes that the program must end.
func (g *groups) remains(mark string) remains {
	left := remains{mark: mark}
	for leader := range g.at {
		if g.left[leader] {
			left.spared = append(left.spared, leader)
		} else {
			left.groups = append(left.groups, leader)
		}
	}
	return left
}

// readRemains reads a file of groups.
func readRemains(file io.Reader) remains {
	left := remains{installs: map[int]Installation{}}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) == 0 {
			continue
		}
		if strings.HasPrefix(words[0], markName+"=") {
			left.mark = words[0]
		}
		switch leader, err := strconv.Atoi(words[0]); {
		case err != nil:
		case leader > 1: // 1 and 0 would mean all processes
			left.groups = append(left.groups, leader)
			if len(words) > 1 {
				left.installs[leader] = words[1:]
			}
		case leader < -1:
			left.spared = append(left.spared, -leader)
		}
	}
	return left
}
