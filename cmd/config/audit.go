package config

// audit applies the audit settings of the user's file. Other files have no effect: a project,
// or a file that an agent names, must not turn off the record that the user checks later.
func (l *loader) audit(d *document, file File) {
	n := d.root.child("audit")
	if n == nil {
		return
	}
	if file.Project || file.Named {
		l.report(Mistakes{d.mistake([]string{"audit"}, n.key, "has an effect in ~/"+FileName+" alone")})
		return
	}
	l.config.Settings.Audit = Audit{
		Off:    n.child("enabled").off(),
		FileMB: n.child("fileMb").count(), KeepMB: n.child("keepMb").count(), KeepDays: n.child("keepDays").count(),
		Recipients: n.child("recipients").texts(),
	}
}
