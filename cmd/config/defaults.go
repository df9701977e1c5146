package config

import "github.com/toolscript/toolscript/transport/mcpclient"

// defaults takes the defaults of a file over those of earlier files.
func (l *loader) defaults(d *document) {
	l.report(d.unsetSettings("defaults"))
	if n := d.root.child("defaults").child("idle"); n != nil && len(n.unset) == 0 {
		l.idle = n.duration()
	}
}

// rest gives the default idle time to stdio servers that have none of their own.
func (l *loader) rest() {
	for name, c := range l.config.Servers {
		if c.Type == mcpclient.Stdio && c.Idle == 0 && !l.awake[name] {
			c.Idle = l.idle
			l.config.Servers[name] = c
		}
	}
}
