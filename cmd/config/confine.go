package config

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/toolscript/toolscript/transport/egress"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// The profiles of confine.
const (
	readonlyProfile = "readonly" // reads the working directory of the server
	projectProfile  = "project"  // reads and writes it
	offlineProfile  = "offline"  // reads and writes all that its user may
)

// confine is what the process of a server may reach; nil: all that its user may. dir is the
// working directory of the server; empty: that of the gateway.
func (o Options) confine(n *node, dir string, file File) (*mcpclient.Confine, error) {
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
	switch c.text() {
	case readonlyProfile:
		return &mcpclient.Confine{Read: []string{dir}}, nil
	case projectProfile:
		return &mcpclient.Confine{Write: []string{dir}}, nil
	case offlineProfile:
		return &mcpclient.Confine{Write: []string{filepath.VolumeName(dir) + string(os.PathSeparator)}}, nil
	}
	o.WorkDir = filepath.Dir(file.Path)
	out := &mcpclient.Confine{Net: c.child("net").texts()}
	var err error
	if out.Read, err = o.allAbsolute(c.child("read").texts()); err != nil {
		return nil, err
	}
	out.Write, err = o.allAbsolute(c.child("write").texts())
	return out, err
}

func (o Options) allAbsolute(paths []string) (all []string, err error) {
	for _, path := range paths {
		path, err := o.absolute(path)
		if err != nil {
			return nil, err
		}
		all = append(all, path)
	}
	return all, nil
}

// wrongConfine are the mistakes in confine that the schema cannot find.
func (d *document) wrongConfine(name string, n *node) (out Mistakes) {
	targets := n.child("confine").child("net")
	for i, target := range targets.texts() {
		item := targets.find([]string{strconv.Itoa(i)})
		if len(item.unset) > 0 {
			continue
		}
		if err := egress.CheckTarget(target); err != nil {
			out = append(out, d.mistake([]string{"mcpServers", name, "confine", "net", strconv.Itoa(i)}, item.at, err.Error()))
		}
	}
	return out
}
