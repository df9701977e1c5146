package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Started returns the running processes of the program and of its servers: those with its home folder
// in their environment, and those that execute the program or, like the reaper, have it open.
func (p Program) Started() []Process {
	return slices.DeleteFunc(processes(), func(q Process) bool {
		return q.PID == os.Getpid() || q.State == "Z" || !p.started(q.PID)
	})
}

// reaperProgram is the file descriptor with which a waiting reaper has its program open.
const reaperProgram = "4"

func (p Program) started(pid int) bool {
	dir := fmt.Sprintf("/proc/%d", pid)
	environment, _ := os.ReadFile(dir + "/environ") // empty if the process has ended or belongs to another user
	if slices.Contains(strings.Split(string(environment), "\x00"), "HOME="+p.Home) {
		return true
	}
	for _, link := range []string{"exe", "fd/" + reaperProgram} {
		if to, _ := os.Readlink(filepath.Join(dir, link)); to == p.Bin { // "" if the process has ended or belongs to another user
			return true
		}
	}
	return false
}

// Sockets returns the paths of the open unix sockets below the home folder.
func (p Program) Sockets() (paths []string) {
	table, _ := os.ReadFile("/proc/net/unix") // always exists
	for line := range strings.Lines(string(table)) {
		const columns = 8 // the last column is the path
		if fields := strings.Fields(line); len(fields) == columns && strings.HasPrefix(fields[columns-1], p.Home+"/") {
			paths = append(paths, fields[columns-1])
		}
	}
	return paths
}

// Files returns the paths of all files below a folder, relative to the folder.
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
