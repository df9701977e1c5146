package config

import (
	"maps"
	"slices"
)

// defaults applies the defaults of a file over those of earlier files.
func (l *loader) defaults(d *document) {
	l.report(d.unsetSettings("defaults"))
	set(&l.idle, d.root.child("defaults").child("idle"), (*node).duration)
	set(&l.startup, d.root.child("defaults").child("startupTimeout"), (*node).duration)
}

// startupTimes sets the default start timeout for servers without their own.
func (l *loader) startupTimes() {
	for name, c := range l.config.Servers {
		if c.StartupTimeout == 0 {
			c.StartupTimeout = l.startup
			l.config.Servers[name] = c
		}
	}
}

// rest sets the default idle time for stdio servers without their own. It warns about
// servers that are known to keep the state of a session.
func (l *loader) rest() {
	if l.idle == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(l.config.Servers)) {
		c := l.config.Servers[name]
		if !c.Kind().Process || c.Idle > 0 || l.awake[name] {
			continue
		}
		c.Idle = l.idle
		l.config.Servers[name] = c
		if known := statefulOf(c.Args); known != "" && !c.Disabled {
			l.warn("server %s: %s keeps the state of a session, which is lost when its process ends after %s without a call (defaults.idle); "+
				`write "idle": false for the server to keep it, or an "idle" of its own`, name, known, l.idle)
		}
	}
}
