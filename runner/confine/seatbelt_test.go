package confine_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/runner/confine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestWrap checks that names of folders are parameters, and not part of the profile's text.
func TestWrap(t *testing.T) {
	a := confine.SeatbeltAccess{Write: []string{`/r"))(allow default`, "/t"}, Read: []string{"/usr"}}
	args := a.Wrap("/bin/cat", []string{"a"})
	want := []string{
		"/usr/bin/sandbox-exec", "-p", args[2],
		"-D", `WRITABLE_0=/r"))(allow default`, "-D", "WRITABLE_1=/t", "-D", "READABLE_0=/usr", "--", "/bin/cat", "a",
	}
	if !slices.Equal(args, want) {
		t.Errorf("the command line is %q", args)
	}
	if strings.Contains(args[2], "/r") {
		t.Errorf("the profile has the name of a folder:\n%s", args[2])
	}
}

// TestLinks: parameters are paths with links resolved, because a profile does not follow links.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(folder, "link")
	if err := os.Symlink(folder, link); err != nil {
		t.Skip(err)
	}
	resolved, err := filepath.EvalSymlinks(folder)
	if err != nil {
		t.Fatal(err)
	}
	if args := (confine.SeatbeltAccess{Write: []string{link}}).Wrap("/bin/cat", nil); !slices.Contains(args, "WRITABLE_0="+resolved) {
		t.Errorf("the command line is %q", args)
	}
}

func TestProfiles(t *testing.T) {
	for name, a := range map[string]confine.SeatbeltAccess{
		"command":         {Write: []string{"/root", "/temp", "/more"}},
		"command-network": {Write: []string{"/root"}, Network: true},
		"server":          {Read: []string{"/usr", "/home/x/src"}, Write: []string{"/temp"}},
		"server-proxy":    {Read: []string{"/usr"}, Write: []string{"/temp"}, Port: 40123},
		"server-nothing":  {Read: []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := a.Wrap("/bin/cat", nil)[2]
			golden := filepath.Join("testdata", name+".sb")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the profile is\n%s\nwant\n%s", got, want)
			}
			if err := checkProfile(got); err != nil {
				t.Errorf("%v in the profile\n%s", err, got)
			}
		})
	}
}
