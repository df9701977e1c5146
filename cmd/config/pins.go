package config

import (
	"cmp"

	"github.com/toolscript/toolscript"
)

// pin applies pins.policy of a file. Files other than the user's can only make it stricter:
// a project must not hide that its servers have changed.
func (l *loader) pin(d *document, file File) {
	n := d.root.child("pins").child("policy")
	if n == nil {
		return
	}
	policy := toolscript.PinPolicy(n.text())
	if (file.Project || file.Named) && policy != toolscript.PinsQuarantine {
		if policy == toolscript.PinsOff {
			l.report(Mistakes{d.mistake([]string{"pins", "policy"}, n.at, `"off" has an effect in ~/`+FileName+" alone")})
		}
		return
	}
	l.config.Settings.Pins = l.config.Settings.Pins.Stricter(policy)
}

// PinPolicy returns the policy of pins, or its default.
func (s *Settings) PinPolicy() toolscript.PinPolicy {
	return cmp.Or(s.Pins, toolscript.PinsWarn)
}
