package config

import (
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/toolscript/toolscript"
)

// AutoAllow reports whether the plugin allows safe commands of an agent without a
// question, which is plugin.autoAllow in the user's file. It is true unless that file
// says false. A repository must not switch it, so no other file counts.
func AutoAllow(o Options) (bool, error) {
	home := o.home()
	if home == "" {
		return true, nil
	}
	file := File{Path: filepath.Join(home, FileName)}
	text, err := read(file)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	d, err := parse(file.Path, text)
	if err != nil {
		return false, err
	}
	if mistakes, _ := d.validate(); len(mistakes) > 0 {
		return false, &toolscript.Error{Kind: toolscript.Invalid, Err: mistakes}
	}
	allow := d.root.child("plugin").child("autoAllow")
	return allow == nil || allow.flag(), nil
}

// remarkPlugin warns of settings of the plugin in a file that is not the user's.
func (l *loader) remarkPlugin(file File, d *document) {
	if n := d.root.child("plugin"); n != nil && (file.Project || file.Named) {
		l.report(Mistakes{d.mistake([]string{"plugin"}, n.key, "has an effect in ~/"+FileName+" alone")})
	}
}
