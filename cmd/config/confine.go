package config

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"

	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/upstream"
)

// The named profiles of confine.
const (
	readonlyProfile = "readonly" // reads the working directory of the server
	projectProfile  = "project"  // reads and writes the working directory
	offlineProfile  = "offline"  // reads and writes all that the user may
)

// confine returns what the processes of a server may reach; nil means all that the user
// may. dir is the server's working directory; "" is that of the gateway.
func (o Options) confine(n *node, dir string) (*upstream.Confine, error) {
	c := n.child("confine")
	if c == nil {
		return nil, nil
	}
	if dir == "" {
		var err error
		if dir, err = o.workDir(); err != nil {
			return nil, err
		}
	}
	read, write := c.child("read").texts(), c.child("write").texts()
	switch cmp.Or(c.text(), c.child("profile").text()) {
	case readonlyProfile:
		read = append(read, dir)
	case projectProfile:
		write = append(write, dir)
	case offlineProfile:
		write = append(write, filepath.VolumeName(dir)+string(os.PathSeparator))
	}
	return &upstream.Confine{Read: read, Write: write, Net: c.child("net").texts()}, nil
}

// wrongConfine returns the mistakes in confine that the schema cannot find.
func (d *document) wrongConfine(name string, n *node) (out []finding) {
	if exec := n.child("exec"); exec != nil && n.child("confine") != nil && kindOf(n).Has("exec") && kindOf(n).Has("confine") {
		out = append(out, wrongAt([]string{serversKey, name, "exec"}, exec.key, `cannot be used together with "confine", which says what the programs may reach: write "net" and "write" there`))
	}
	targets := n.child("confine").child("net")
	for i, target := range targets.texts() {
		item := targets.find([]string{strconv.Itoa(i)})
		if len(item.unset) > 0 {
			continue
		}
		if err := egress.CheckTarget(target); err != nil {
			out = append(out, wrongAt([]string{serversKey, name, "confine", "net", strconv.Itoa(i)}, item.at, err.Error()))
		}
	}
	return out
}
