package mcpclient

import (
	"errors"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/internal/proc"
)

// errLeft is the reason for the end of a connection whose server is still being installed.
var errLeft = errors.New("its installation goes on in the background")

// caches are the variables that select the folder or host in which a package manager or container
// runtime keeps its installations.
var caches = []string{"DOCKER_CONTEXT", "DOCKER_HOST", "HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME", "npm_config_cache", "NPM_CONFIG_CACHE", "UV_CACHE_DIR", "PNPM_HOME", "BUN_INSTALL", "PIPX_HOME", "CONTAINER_HOST"}

// installKey returns texts that identify what a command line installs, and where.
func installKey(argv, env []string) []string {
	key := slices.Clone(argv)
	for _, entry := range env {
		if name, _, _ := strings.Cut(entry, "="); slices.Contains(caches, name) {
			key = append(key, entry)
		}
	}
	return key
}

// leave lets an installation continue without this program. It returns false if nothing is being
// installed. Afterwards, the end of the connection ends no process.
func (s *stdio) leave(by *proc.Reaper) (bool, error) {
	if !s.log.start.Look().Installing {
		return false, nil
	}
	if err := by.Leave(s.proc.cmd.Process.Pid, s.install, s.proc.stdout.File, s.proc.stderr); err != nil {
		return false, err
	}
	s.left.Store(true)
	s.ending.Do(func() {
		if s.stopReading != nil {
			s.stopReading()
		}
		_ = s.proc.stdin.Close()                            // never fails
		_, _ = s.proc.stdout.Close(), s.proc.stderr.Close() // makes the reads fail; the other process has copies
		s.known()
	})
	return true, nil
}
