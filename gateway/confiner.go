package gateway

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Confiner starts confined servers: processes that can only access what their configuration names. The zero
// value keeps no caches between starts.
type Confiner struct {
	// CacheDir is the folder for caches of package managers. Each server has its own cache, so that no server
	// can change the programs of another. If it is empty, the caches are removed when the server ends.
	CacheDir string
	// Record receives the activity of watched servers.
	Record *observed.Record
}

// Lacks implements upstream.Confiner. It returns the restrictions that this machine does not support.
func (Confiner) Lacks(r upstream.Confine) string {
	return strings.Join(confined.Missing(confined.Parts(r.Net)), "; ")
}

// Start implements upstream.Confiner. If this machine does not support some restrictions, Start
// starts the server with the others.
func (c Confiner) Start(p upstream.Confined) (upstream.Start, error) {
	temp, err := os.MkdirTemp("", "toolscript-server-")
	if err != nil {
		return upstream.Start{}, fmt.Errorf("confine: %w", err)
	}
	end := func() { _ = os.RemoveAll(temp) } // files that cannot be removed stay
	l := launch{Confiner: c, process: p, start: upstream.Start{Env: append(slices.Clone(p.Env), "TMPDIR="+temp), End: end}}
	for _, step := range []func() error{func() error { return l.paths(temp) }, l.network, l.wrap, l.watch} {
		if err := step(); err != nil {
			l.start.End()
			return upstream.Start{}, err
		}
	}
	return l.start, nil
}

// launch prepares the start of one process. Its steps are paths, network, wrap and watch, in this order.
type launch struct {
	Confiner
	process upstream.Confined
	spec    confined.Spec
	own     []string // paths that belong to this process only
	start   upstream.Start
}

// paths decides which paths the process may read and write. temp is its own folder.
func (l *launch) paths(temp string) error {
	p := l.process
	write := append(slices.Concat(p.Write, confined.Devices()), temp)
	read := confined.RuntimePaths(p.Project, p.Path, p.Fixed, p.Dir, inPath(p.Env))
	l.own = []string{temp}
	if manager := installer(p.Args); manager != "" {
		cache, err := l.cache(p, temp)
		if err != nil {
			return err
		}
		l.own, write = append(l.own, cache), append(write, cache)
		l.start.Env = append(l.start.Env, cachesOf(manager, cache)...)
		if slices.Contains([]string{"uv", "uvx", "pipx"}, manager) {
			read = append(read, l.python(cache)...)
		}
	}
	if err := errors.Join(linksOut(p.Confine), p.Leaves()); err != nil {
		return &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: err}
	}
	gated := confined.GateMissing() == ""
	slices.Sort(read)
	l.spec = confined.Spec{
		Path: p.Path, Args: p.Args, Project: p.Project, Write: write, Read: slices.Concat(p.Read, slices.Compact(read)),
		Modes: gated || len(write) > len(confined.Devices())+1, Free: p.Free, Watched: p.Watched, Gate: gated && !p.Free,
	}
	return nil
}

// python returns the paths that a package manager of Python reads, and adds environment variables for it.
func (l *launch) python(cache string) (read []string) {
	p := l.process
	interpreters, more := pythons(p, cache)
	files, environment := uvRun(p, cache)
	l.start.Env = slices.Concat(l.start.Env, more, environment)
	for _, file := range files {
		read = append(read, confined.RuntimePaths(p.Project, p.Path, []string{file}, p.Dir, inPath(p.Env))...)
	}
	return append(interpreters, read...)
}

// network starts the proxy, through which the process must make all connections.
func (l *launch) network() error {
	p := l.process
	if len(p.Net) == 0 && !p.Free {
		return nil
	}
	proxy, err := egress.Options{Any: p.Free, Seen: l.seen(p)}.Start(p.Net, p.Log)
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	l.spec.Port, l.start.Env = proxy.Port(), append(l.start.Env, proxy.Env()...)
	l.start.End = after(l.start.End, proxy.Close)
	return nil
}

// wrap makes the command line. It begins with this program, which confines itself and becomes the server.
func (l *launch) wrap() (err error) {
	self, err := files.Own()
	if err != nil {
		return fmt.Errorf("confine: %w", err)
	}
	l.start.Args, err = l.spec.Wrap(self)
	return err
}

// watch starts the Gate of the process, and the record of its actions if it is watched.
func (l *launch) watch() error {
	s := l.spec
	if s.Watched {
		l.Record.Begin(observed.Base{Dir: l.process.Dir, Read: s.Read, Write: s.Write, Own: l.own, Port: s.Port, Modes: s.Modes})
	}
	switch {
	case s.Gate:
		gate, file, err := confined.NewGate(s, l.Record, l.process.Log)
		if err != nil {
			return fmt.Errorf("confine: %w", err)
		}
		l.start.Files, l.start.End = []*os.File{file}, after(l.start.End, gate.Close)
	case s.Watched:
		watch, file, err := observed.Start(l.Record)
		if err != nil {
			return fmt.Errorf("watch the server: %w", err)
		}
		l.start.Files, l.start.End = []*os.File{file}, after(l.start.End, watch.Close)
	}
	return nil
}

// seen returns a function that records connections through the proxy; nil if the server is not watched.
func (c Confiner) seen(p upstream.Confined) func(target string, allowed bool) {
	if !p.Watched {
		return nil
	}
	return func(target string, allowed bool) {
		kind := observed.Proxied
		if !allowed {
			kind = observed.Refused
		}
		c.Record.Act(kind, target)
	}
}

// linksOut returns an error if a configured path is in a writable folder and leads out of it
// through a link. The server could have made such a link to get access to other files.
func linksOut(c upstream.Confine) error {
	for _, path := range slices.Concat(c.Read, c.Write) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // paths that do not exist are left out
		}
		for _, folder := range c.Write {
			top, err := filepath.EvalSymlinks(folder)
			if err == nil && path != folder && within(path, folder) && !within(real, top) {
				return fmt.Errorf("confine: %s leads to %s, by a link below %s, which the server can write to; name the target itself", path, real, folder)
			}
		}
	}
	return nil
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}

// after returns a function that calls first and then last.
func after(last, first func()) func() {
	return func() {
		first()
		last()
	}
}

// cache returns the folder into which a package manager installs the programs of a server.
func (c Confiner) cache(p upstream.Confined, temp string) (string, error) {
	if c.CacheDir == "" {
		return temp, nil
	}
	sum := sha256.Sum256([]byte(p.Source + "\x00" + strings.Join(p.Args, "\x00")))
	folder := filepath.Join(c.CacheDir, hex.EncodeToString(sum[:12]))
	return folder, os.MkdirAll(folder, 0o700)
}

// pathOf returns the folders of PATH in an environment.
func pathOf(env []string) (folders []string) {
	for _, entry := range env {
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			folders = filepath.SplitList(list)
		}
	}
	return folders
}

// inPath returns a function that looks up programs in the PATH of an environment.
func inPath(env []string) func(name string) (string, error) {
	folders := pathOf(env)
	return func(name string) (string, error) {
		if filepath.IsAbs(name) {
			return name, nil
		}
		for _, folder := range folders {
			if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return found, nil
			}
		}
		return "", exec.ErrNotFound
	}
}
