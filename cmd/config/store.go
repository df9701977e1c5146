package config

import "cmp"

// keep applies the scopes of values that outlive runs. They have no effect in a project's
// file: it could give its scripts the values of all projects.
func (l *loader) keep(d *document, file File) {
	n := d.root.child("store")
	switch {
	case n == nil:
	case file.Project:
		l.report(Mistakes{d.mistake([]string{"store"}, n.key, "has no effect in a project's file; write it to ~/"+FileName)})
	case n.child("scopes") != nil:
		l.config.Settings.StoreScopes = append([]string{}, n.child("scopes").texts()...)
	}
}

// StoreFolder returns the project of a working directory for values that outlive runs.
func StoreFolder(o Options, dir string) string {
	dir = resolved(dir)
	return cmp.Or(ProjectRoot(dir, o.home()), dir)
}
