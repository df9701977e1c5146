package quickjs

import (
	"github.com/toolscript/toolscript/runner/quickjs/intl"
)

// longestCompared bounds the texts that a collator compares, in bytes, because a comparison
// cannot be interrupted.
const longestCompared = 1 << 20

// locales(list of language tags, as JSON) → supported locales, as JSON
func (r *run) findLocales(a arguments) handle { return r.instance.newString(intl.Locales(a.text(0))) }

// resolveFormat(settings) → resolved settings, as JSON
func (r *run) resolveFormat(a arguments) handle {
	return r.instance.newString(intl.Resolve(a.text(0), intl.Zone(r.job.TZ, r.zone)))
}

// formatText(settings, value) → text, or undefined if it would be too long
func (r *run) formatText(a arguments) handle {
	text, err := intl.Format(a.text(0), a.text(1), intl.Zone(r.job.TZ, r.zone))
	if err != nil {
		return r.instance.undefined()
	}
	return r.instance.newString(text)
}

// formatParts(settings, value) → parts as JSON, or undefined if they would be too long
func (r *run) formatParts(a arguments) handle {
	parts, err := intl.Parts(a.text(0), a.text(1), intl.Zone(r.job.TZ, r.zone))
	if err != nil {
		return r.instance.undefined()
	}
	return r.instance.newString(parts)
}

// compareTexts(settings, text, text) → -1, 0, 1, or undefined if they are too long
func (r *run) compareTexts(a arguments) handle {
	x, y := a.text(1), a.text(2)
	if len(x)+len(y) > longestCompared && x != y {
		return r.instance.undefined()
	}
	return r.integer(intl.Compare(a.text(0), x, y))
}

// changeCase(text, language, 1 for upper case) → text
func (r *run) changeCase(a arguments) handle {
	return r.instance.newString(intl.ChangeCase(a.text(0), a.text(1), a.integer(2) != 0))
}
