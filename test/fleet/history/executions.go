package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Executions reads the file of an MCP server at a hub. Its lines contain begin or end, the id of the call,
// the process, and the time. A missing file counts as empty, and an incomplete last line is ignored.
func Executions(file, server, hub string) (all []Execution, err error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines := strings.Split(string(text), "\n")
	open := map[string]int{} // by id and process
	for _, line := range lines[:len(lines)-1] {
		part := strings.Fields(line)
		if len(part) != 4 {
			return nil, fmt.Errorf("%s has the line %q", file, line)
		}
		at, err := strconv.ParseInt(part[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		key := part[1] + " " + part[2]
		if i, begun := open[key]; begun && part[0] == "end" {
			all[i].End = at
			delete(open, key)
			continue
		}
		open[key] = len(all)
		all = append(all, Execution{ID: part[1], Server: server, Hub: hub, Process: part[2], Begin: at})
	}
	return all, nil
}
