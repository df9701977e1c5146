package harness

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
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Confiner starts servers in confinement. The zero value keeps no caches between starts.
type Confiner struct {
	// CacheDir is the folder for caches of package managers. Each server has its own cache, so that no server
	// can change the programs of another. If it is empty, the caches are removed when the server ends.
	CacheDir string
	// Record receives the activity of watched servers.
	Record *observed.Record
}

// Lacks implements mcpclient.Confiner.
func (Confiner) Lacks(r mcpclient.Confine) string {
	return strings.Join(confined.Missing(confined.Parts(r.Net)), "; ")
}

// Start implements mcpclient.Confiner. If a part of the restrictions is not available,
// the server is started with the others.
func (c Confiner) Start(p mcpclient.Confined) (mcpclient.Start, error) {
	self, err := files.Own()
	if err != nil {
		return mcpclient.Start{}, fmt.Errorf("confine: %w", err)
	}
	temp, err := os.MkdirTemp("", "toolscript-server-")
	if err != nil {
		return mcpclient.Start{}, fmt.Errorf("confine: %w", err)
	}
	end := func() { _ = os.RemoveAll(temp) } // an error is ignored: nothing can be done about files that stay
	env := append(slices.Clone(p.Env), "TMPDIR="+temp)
	write := append(slices.Concat(p.Write, confined.Devices()), temp)
	own, read := []string{temp}, confined.RuntimePaths(p.Project, p.Path, p.Fixed, p.Dir, inPath(p.Env))
	if manager := installer(p.Args); manager != "" {
		cache, err := c.cache(p, temp)
		if err != nil {
			end()
			return mcpclient.Start{}, err
		}
		own, write = append(own, cache), append(write, cache)
		env = append(env, cachesOf(manager, cache)...)
		if slices.Contains([]string{"uv", "uvx", "pipx"}, manager) {
			interpreters, more := pythons(p, cache)
			files, environment := uvRun(p, cache)
			read, env = append(read, interpreters...), slices.Concat(env, more, environment)
			for _, file := range files {
				read = append(read, confined.RuntimePaths(p.Project, p.Path, []string{file}, p.Dir, inPath(p.Env))...)
			}
		}
	}
	gated := confined.GateMissing() == ""
	s := confined.Spec{Path: p.Path, Args: p.Args, Project: p.Project, Write: write, Modes: gated || len(write) > len(confined.Devices())+1}
	if err := errors.Join(linksOut(p.Confine), p.Leaves()); err != nil {
		end()
		return mcpclient.Start{}, &toolscript.Error{Kind: toolscript.Unavailable, Permanent: true, Err: err}
	}
	s.Free, s.Watched = p.Free, p.Watched
	slices.Sort(read)
	s.Read = slices.Concat(p.Read, slices.Compact(read))
	if len(p.Net) > 0 || p.Free {
		proxy, err := egress.Options{Any: p.Free, Seen: c.seen(p)}.Start(p.Net, p.Log)
		if err != nil {
			end()
			return mcpclient.Start{}, fmt.Errorf("confine: %w", err)
		}
		s.Port, env = proxy.Port(), append(env, proxy.Env()...)
		end = after(end, proxy.Close)
	}
	s.Gate = gated && !p.Free
	start := mcpclient.Start{Env: env}
	if start.Args, err = s.Wrap(self); err != nil {
		end()
		return mcpclient.Start{}, err
	}
	if s.Watched {
		c.Record.Begin(observed.Base{Dir: p.Dir, Read: s.Read, Write: s.Write, Own: own, Port: s.Port, Modes: s.Modes})
	}
	switch {
	case s.Gate:
		gate, file, err := confined.NewGate(s, c.Record, p.Log)
		if err != nil {
			end()
			return mcpclient.Start{}, fmt.Errorf("confine: %w", err)
		}
		start.Files, end = []*os.File{file}, after(end, gate.Close)
	case s.Watched:
		watch, file, err := observed.Start(c.Record)
		if err != nil {
			end()
			return mcpclient.Start{}, fmt.Errorf("watch the server: %w", err)
		}
		start.Files, end = []*os.File{file}, after(end, watch.Close)
	}
	start.End = end
	return start, nil
}

// seen returns a function that records connections through the proxy; nil if the server is not watched.
func (c Confiner) seen(p mcpclient.Confined) func(target string, allowed bool) {
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

// linksOut returns an error if a configured path below a writable folder leads out of
// that folder through a link: the server may have made the link.
func linksOut(c mcpclient.Confine) error {
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

// cache returns the folder for the programs that a package manager installs for a server.
func (c Confiner) cache(p mcpclient.Confined, temp string) (string, error) {
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

// inPath returns a function that finds programs in the PATH of an environment.
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
