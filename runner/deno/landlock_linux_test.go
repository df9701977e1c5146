package deno

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLandlockAlone checks Landlock without Deno's permissions: its scripts run on a
// Deno with all permissions. The same attempts run first without Landlock and must
// succeed, otherwise the test would prove nothing.
func TestLandlockAlone(t *testing.T) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		t.Skipf("this kernel has no Landlock: %v", errno)
	}
	e := newInnerEngine(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("other")) }))
	defer other.Close()
	for _, confined := range []bool{false, true} {
		t.Run("confined "+strconv.FormatBool(confined), func(t *testing.T) {
			code, expected := landlockAttempts(t, other.URL, int(version))
			b := bare{engine: e, open: true, unconfined: !confined}
			for name, got := range b.run(t, code) {
				want := expected[name]
				if !confined {
					want = regexp.MustCompile("^gave ")
				}
				if !want.MatchString(got) || confined && strings.Contains(got, "the-secret") {
					t.Errorf("%s: %q, want %s", name, got, want)
				}
			}
			t.Logf("%d attempts, Landlock %d", len(expected), version)
		})
	}
}

// landlockAttempts reads the attempts from the data file and creates the folder that
// they use.
func landlockAttempts(t *testing.T, other string, version int) (code string, expected map[string]*regexp.Regexp) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"secret.json", "spare"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`"the-secret"`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	socket, err := net.Listen("unix", filepath.Join(folder, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	host := strings.TrimPrefix(other, "http://")
	_, port, _ := strings.Cut(host, ":")
	fill := strings.NewReplacer("SECRET", filepath.Join(folder, "secret.json"), "FOLDER", folder, "OTHERPORT", port, "OTHER", host)
	var left []string
	for _, fields := range dataLines(t, "testdata/landlock.txt", 4, fill) {
		if least, err := strconv.Atoi(fields[1]); err != nil || version >= least {
			left = append(left, strings.Join(slices.Delete(fields, 1, 2), " | "))
		}
	}
	return attempts(t, left)
}

// TestStartedProcessIsConfined checks that a process of a run reports its
// confinement, and that the kernel shows that the process cannot gain privileges.
func TestStartedProcessIsConfined(t *testing.T) {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION); errno != 0 {
		t.Skipf("this kernel has no Landlock: %v", errno)
	}
	p, err := newInnerEngine(t).Start(t.Context(), "v")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		p.Kill()
		<-p.Done()
	}()
	active := true
	for _, part := range p.Confinement() {
		active = active && part.Active
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/status")
	if err != nil || !active || !strings.Contains(string(status), "NoNewPrivs:\t1") || !strings.Contains(string(status), "Seccomp:\t2") {
		t.Errorf("wall = %+v, %v\n%s", p.Confinement(), err, status)
	}
}
