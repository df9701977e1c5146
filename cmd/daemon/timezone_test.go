package daemon_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscript/toolscript/cmd/daemon"
)

func TestOf(t *testing.T) {
	for tz, want := range map[string]string{"": "", "Europe/Vienna": "Europe/Vienna", ":Asia/Tokyo": "Asia/Tokyo", ":/etc/localtime": "", "/x": ""} {
		if got := daemon.ZoneOf(tz); got != want {
			t.Errorf("Of(%q) = %q, want %q", tz, got, want)
		}
	}
}

func TestHost(t *testing.T) {
	for name, test := range map[string]struct{ link, file, want string }{
		"a link":                     {link: "/usr/share/zoneinfo/Europe/Vienna", want: "Europe/Vienna"},
		"a relative link":            {link: "../usr/share/zoneinfo/Asia/Tokyo", want: "Asia/Tokyo"},
		"the link before the file":   {link: "/usr/share/zoneinfo/Asia/Tokyo", file: "Europe/Vienna\n", want: "Asia/Tokyo"},
		"a link that says nothing":   {link: "/srv/zone", file: "Europe/Vienna\n", want: "Europe/Vienna"},
		"a zone that there is not":   {link: "/usr/share/zoneinfo/Nowhere/Land", want: ""},
		"a file":                     {file: "America/New_York\n", want: "America/New_York"},
		"a file with something else": {file: "../../etc/passwd\n", want: ""},
		"nothing":                    {},
	} {
		root := t.TempDir()
		if err := os.Mkdir(filepath.Join(root, "etc"), 0o700); err != nil {
			t.Fatal(err)
		}
		if test.link != "" {
			if err := os.Symlink(test.link, filepath.Join(root, "etc/localtime")); err != nil {
				t.Fatal(err)
			}
		}
		if test.file != "" {
			if err := os.WriteFile(filepath.Join(root, "etc/timezone"), []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := daemon.ZoneOfHost(root); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}
