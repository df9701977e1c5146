package deno

import (
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

// TestLandlockAlone proves that the second wall holds by itself: the scripts of
// this test run on a Deno that was given every permission it has. The same
// attempts without the wall come first, and must succeed: else the test would
// prove nothing.
func TestLandlockAlone(t *testing.T) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		t.Skipf("this kernel has no Landlock: %v", errno)
	}
	e := newInnerEngine(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("other")) }))
	defer other.Close()
	for _, walled := range []bool{false, true} {
		t.Run("walled "+strconv.FormatBool(walled), func(t *testing.T) {
			code, wants := landlockAttempts(t, other.URL, int(version))
			b := bare{engine: e, open: true, unwalled: !walled}
			for name, got := range b.run(t, code) {
				want := wants[name]
				if !walled {
					want = regexp.MustCompile("^gave ")
				}
				if !want.MatchString(got) || walled && strings.Contains(got, "the-secret") {
					t.Errorf("%s: %q, want %s", name, got, want)
				}
			}
			t.Logf("%d attempts, Landlock %d", len(wants), version)
		})
	}
}

// landlockAttempts reads the data file, for a folder that is made for it.
func landlockAttempts(t *testing.T, other string, version int) (code string, wants map[string]*regexp.Regexp) {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"secret.json", "spare"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(`"the-secret"`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
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

// TestStartedProcessIsWalled: a process as runs have it says that it is behind the
// wall, and the kernel that it can gain no rights.
func TestStartedProcessIsWalled(t *testing.T) {
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
	active := false
	for _, part := range p.Wall() {
		active = active || part.Name == "landlock" && part.Active
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/status")
	if err != nil || !active || !strings.Contains(string(status), "NoNewPrivs:\t1") {
		t.Errorf("wall = %+v, %v\n%s", p.Wall(), err, status)
	}
}
