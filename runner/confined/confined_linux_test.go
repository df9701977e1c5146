package confined_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/runner/confined"
)

// TestMain makes the test binary the helper, the hostile server, or the server's victim.
func TestMain(m *testing.M) {
	if len(os.Args) > 3 && os.Args[1] == "age" {
		os.Exit(age(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "attack":
			os.Exit(attack(os.Args[2]))
		case "work":
			os.Exit(work(os.Args[2]))
		case "reach", "hide", "filter":
			os.Exit(reach(os.Args[1], os.Args[2]))
		case "victim":
			os.Exit(suffer())
		}
	}
	os.Exit(m.Run())
}

// suffer waits until its input ends, and then prints the signal that it has received before.
func suffer() int {
	got := make(chan os.Signal, 1)
	signal.Notify(got, syscall.SIGUSR1, syscall.SIGTERM)
	_, _ = os.Stdout.WriteString("ready\n")
	_, _ = os.Stdin.Read(make([]byte, 1))
	select {
	case <-got:
		return 9
	default:
		return 0
	}
}

// scene is the environment in which a server is started.
type scene struct {
	target
	self, folder, temp string
	kernel             string // a kernel of old_kernel_linux_test.go; "" for the real one
	victim             *exec.Cmd
	end                func()
}

func newScene(t *testing.T) *scene {
	t.Helper()
	if missing := confined.Missing(confined.Parts([]string{"example.com:443"})); len(missing) > 0 {
		t.Skipf("this system cannot confine servers: %v", missing)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{self: self, folder: t.TempDir(), temp: t.TempDir()}
	s.Temp, s.Secret, s.Program, s.System = s.temp, filepath.Join(s.folder, "secret"), filepath.Join(s.folder, "program"), filepath.Join(s.folder, "system")
	must(t, os.WriteFile(s.Secret, []byte("secret"), 0o600))
	must(t, os.WriteFile(s.Program, []byte("#!/bin/sh\nexit 0\n"), 0o700))
	must(t, os.WriteFile(s.System, []byte("system"), 0o600))
	for network, address := range map[string]*string{"tcp4": &s.TCP4, "tcp6": &s.TCP6, "unix": &s.Unix} {
		at := map[string]string{"tcp4": "127.0.0.1:0", "tcp6": "[::1]:0", "unix": filepath.Join(s.folder, "socket")}[network]
		s.listen(t, network, at, address)
	}
	s.listen(t, "unix", "@toolscript-"+filepath.Base(s.folder)+"-"+filepath.Base(filepath.Dir(s.folder)), &s.Name)
	for network, address := range map[string]*string{"udp4": &s.UDP, "unixgram": &s.Dgram} {
		at := map[string]string{"udp4": "127.0.0.1:0", "unixgram": filepath.Join(s.folder, "datagrams")}[network]
		c, err := net.ListenPacket(network, at)
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		*address = c.LocalAddr().String()
	}
	hosts, err := twoHosts()
	must(t, err)
	for _, l := range hosts {
		accept(t, l)
	}
	s.Port, s.Other4, s.Other6 = hosts[0].Addr().(*net.TCPAddr).Port, hosts[1].Addr().String(), hosts[2].Addr().String()
	s.victim = exec.Command(self, "victim", "x")
	in, err := s.victim.StdinPipe()
	must(t, err)
	out, err := s.victim.StdoutPipe()
	must(t, err)
	must(t, s.victim.Start())
	_, err = out.Read(make([]byte, 6))
	must(t, err)
	s.Victim, s.Gateway = s.victim.Process.Pid, os.Getpid()
	s.end = func() { _ = in.Close() }
	t.Cleanup(s.end)
	return s
}

func (s *scene) listen(t *testing.T, network, at string, address *string) {
	t.Helper()
	l, err := net.Listen(network, at)
	must(t, err)
	accept(t, l)
	*address = l.Addr().String()
}

// accept accepts connections and closes them.
func accept(t *testing.T, l net.Listener) {
	t.Helper()
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// run runs a role of the test binary, confined by spec, or unconfined if spec is nil.
func (s *scene) run(t *testing.T, role string, spec *confined.Spec) string {
	t.Helper()
	stdout, stderr, err := s.try(t, role, spec)
	if err != nil {
		t.Fatalf("%s: %v\n%s", role, err, stderr)
	}
	return stdout
}

// try is like run, for a program that may fail.
func (s *scene) try(t *testing.T, role string, spec *confined.Spec) (output, problem string, err error) {
	t.Helper()
	text, err := json.Marshal(s.target)
	must(t, err)
	argv := []string{s.self, role, string(text)}
	var passed []*os.File
	if spec != nil {
		spec.Path, spec.Args = s.self, argv
		spec.Read = append(spec.Read, confined.RuntimePaths(files.Folder{}, s.self, nil, s.temp, exec.LookPath)...)
		spec.Write = append(spec.Write, append(confined.Devices(), s.temp)...)
		argv, err = spec.Wrap(s.self)
		must(t, err)
		if spec.Gate {
			gate, file, err := confined.NewGate(*spec, nil, func(_ slog.Level, format string, args ...any) { t.Logf(format, args...) })
			must(t, err)
			defer gate.Close()
			passed = []*os.File{file}
		}
	}
	if s.kernel != "" {
		argv = append([]string{s.self, "age", s.kernel}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "TMPDIR="+s.temp)
	cmd.ExtraFiles = passed
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	must(t, cmd.Start())
	for _, f := range passed {
		must(t, f.Close())
	}
	err = cmd.Wait()
	return stdout.String(), stderr.String(), err
}

// reached returns the names of the hostile program's attempts that succeeded, and their total number.
func reached(t *testing.T, text string) (names []string, all int) {
	t.Helper()
	var results map[string]string
	must(t, json.Unmarshal([]byte(text), &results))
	for name, problem := range results {
		if problem == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, len(results)
}

// TestHostileServer: no attempt of a hostile server succeeds, with and without a proxy. Without
// confinement, most of the same attempts succeed.
func TestHostileServer(t *testing.T) {
	free := newScene(t)
	free.Harmless = true
	names, all := reached(t, free.run(t, "attack", nil))
	t.Logf("not confined: %d of %d attempts succeed", len(names), all)
	if all < 40 || len(names) < 30 {
		t.Errorf("not confined, %d of %d attempts succeed; want most of 40 or more: %q", len(names), all, names)
	}
	for kind, spec := range map[string]confined.Spec{
		"without a network": {}, "with a proxy": {Port: 1, Gate: true}, "with a proxy and modes": {Port: 1, Gate: true, Modes: true}, "with modes": {Gate: true, Modes: true},
	} {
		s := newScene(t)
		if spec.Read = []string{s.System}; spec.Port != 0 {
			spec.Port = uint16(s.Port)
		}
		if names, _ := reached(t, s.run(t, "attack", &spec)); len(names) > 0 {
			t.Errorf("confined, %s, succeeded: %q", kind, names)
		}
		s.end()
		if err := s.victim.Wait(); err != nil {
			t.Errorf("the victim got a signal: %v", err)
		}
		if text, err := os.ReadFile(s.Secret); err != nil || string(text) != "secret" {
			t.Errorf("the secret is %q, %v", text, err)
		}
	}
}

// TestServerWorks: a confined server can read and write its own folders, start programs, and
// connect to the port of its proxy.
func TestServerWorks(t *testing.T) {
	s := newScene(t)
	for _, gate := range []bool{true, false} {
		s.Watches = gate
		out := s.run(t, "work", &confined.Spec{Read: []string{s.System}, Port: uint16(s.Port), Modes: true, Gate: gate})
		if out != "" {
			t.Errorf("with a gate %t, failed:\n%s", gate, out)
		}
	}
}

// TestCannotStart: if a server cannot start, the error says what is missing.
func TestCannotStart(t *testing.T) {
	s := newScene(t)
	spec := confined.Spec{Path: s.Program, Args: []string{"program"}}
	argv, err := spec.Wrap(s.self)
	must(t, err)
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 126 || !strings.Contains(string(out), "permission denied") || !strings.Contains(string(out), `"confine"`) {
		t.Errorf("%v: %s", err, out)
	}
	for _, order := range []string{"", "{", `{"path": ""}`} {
		if out, err := exec.Command(s.self, confined.Command, order).CombinedOutput(); err == nil || len(out) == 0 {
			t.Errorf("order %q: %v, %q", order, err, out)
		}
	}
}
