package config

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
)

// Review is the information that the user needs before trusting a file.
type Review struct {
	Path    string
	Trusted bool   // the whole file is trusted, so no decision is needed
	Known   bool   // something of this file was trusted before
	Diff    string // the definitions that are not trusted, compared with the trusted ones

	dataDir string
	grant   grant // stored by Accept
}

// ReviewTrust reads the file that `toolscript trust [PATH]` is about: the file, the file in
// the folder, or for an empty path the project's file that Locate finds. A file that is not
// JSON cannot be trusted.
func ReviewTrust(o Options, path string) (*Review, error) {
	dir, err := DataDir(o)
	if err != nil {
		return nil, err
	}
	if path, err = o.trustPath(path); err != nil {
		return nil, err
	}
	content, err := read(File{Path: path})
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: err}
	}
	d, err := parse(path, content)
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	before, err := readGrant(dir, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannotRecord(path, err)
	}
	parts := define(d.root)
	parts.addScripts(File{Path: path})
	r := &Review{Path: path, Trusted: before.all(parts), Known: before != nil, dataDir: dir}
	r.grant = grant{Path: path, Servers: map[string]string{}, Settings: parts.settings, Scripts: parts.scripts}
	if before == nil {
		r.Diff = parts.diff(&grant{}) + settingsDiff(d.root) + parts.scriptsDiff(&grant{})
	} else {
		r.Diff = parts.diff(before) + parts.scriptsDiff(before)
		maps.Copy(r.grant.Servers, before.Servers) // including servers that are not in the file at present
	}
	maps.Copy(r.grant.Servers, parts.servers)
	return r, nil
}

// Accept trusts the reviewed definitions, even if the file has changed since.
func (r *Review) Accept() error { return r.grant.write(r.dataDir) }

// diff shows the definitions that are not trusted, one server after another.
func (d definitions) diff(before *grant) string {
	var out strings.Builder
	for _, name := range d.names {
		out.WriteString(LineDiff(before.Servers[name], d.servers[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(d.settings)) {
		if !before.setting(name, d.settings[name]) {
			out.WriteString(LineDiff(before.Settings[name], d.settings[name]))
		}
	}
	return out.String()
}

// settingsDiff shows the settings of a file of which nothing was trusted before: they take
// effect together with its servers.
func settingsDiff(root *node) string {
	var out strings.Builder
	for _, name := range settingNames {
		fields, trusted := settingDefinition[name]
		switch n := root.child(name); {
		case n == nil || trusted && fields == nil: // shown with the definitions
		case trusted:
			if rest := otherFields(n, fields); len(rest) > 0 {
				out.WriteString(LineDiff("", definition(name, n, rest)))
			}
		default:
			out.WriteString(LineDiff("", member(name, n, "")))
		}
	}
	return out.String()
}

// otherFields returns the fields of an object except some names.
func otherFields(n *node, some []string) []string {
	var rest []string
	for name := range n.children() {
		if !slices.Contains(some, name) {
			rest = append(rest, name)
		}
	}
	return rest
}
