package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Started returns the processes of the program and of its servers that run: those with its
// home in their environment, and those that execute it or, as the reaper, have it open.
func (p Program) Started() []Process {
	return slices.DeleteFunc(processes(), func(q Process) bool {
		return q.PID == os.Getpid() || q.State == "Z" || !p.started(q.PID)
	})
}

// reaperProgram is the descriptor by which a waiting reaper has its program open.
const reaperProgram = "4"

func (p Program) started(pid int) bool {
	dir := fmt.Sprintf("/proc/%d", pid)
	environment, _ := os.ReadFile(dir + "/environ") // empty: it has ended, or belongs to another user
	if slices.Contains(strings.Split(string(environment), "\x00"), "HOME="+p.Home) {
		return true
	}
	for _, link := range []string{"exe", "fd/" + reaperProgram} {
		if to, _ := os.Readlink(filepath.Join(dir, link)); to == p.Bin { // "" as above
			return true
		}
	}
	return false
}

// Sockets returns the paths of the unix sockets below the home that are open.
func (p Program) Sockets() (paths []string) {
	table, _ := os.ReadFile("/proc/net/unix") // always there
	for line := range strings.Lines(string(table)) {
		const columns = 8 // the last is the path
		if fields := strings.Fields(line); len(fields) == columns && strings.HasPrefix(fields[columns-1], p.Home+"/") {
			paths = append(paths, fields[columns-1])
		}
	}
	return paths
}

// Files returns the paths of the files below a folder, relative to it.
func Files(dir string) (paths []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		paths = append(paths, rel)
		return err
	})
	return paths, err
}
