package command

import (
	"slices"
	"strings"
	"testing"
)

// TestSeatbeltProfile checks that the names of folders are parameters and no part of the
// profile.
func TestSeatbeltProfile(t *testing.T) {
	o := order{Args: []string{"cat", "a"}, Root: `/r"))(allow default`, Writable: []string{"/w"}}
	path, args := o.seatbelt("/bin/cat", "/t")
	want := []string{
		"/usr/bin/sandbox-exec", "-p", args[2],
		"-D", `WRITABLE_0=/r"))(allow default`, "-D", "WRITABLE_1=/t", "-D", "WRITABLE_2=/w", "--", "/bin/cat", "a",
	}
	if path != want[0] || !slices.Equal(args, want) {
		t.Errorf("the command line is %q", args)
	}
	const profile = `(version 1)
(allow default)
(deny file-write*)
(allow file-write*
  (subpath (param "WRITABLE_0"))
  (subpath (param "WRITABLE_1"))
  (subpath (param "WRITABLE_2"))
  (literal "/dev/null")
  (literal "/dev/zero"))
(deny signal)
(allow signal (target same-sandbox))
(deny appleevent-send)
(deny network*)
`
	if args[2] != profile {
		t.Errorf("the profile is\n%s", args[2])
	}
	o.Network = true
	if _, args = o.seatbelt("/bin/cat", "/t"); strings.Contains(args[2], "network") {
		t.Errorf("the profile refuses the network:\n%s", args[2])
	}
}
