package cldr

import (
	"iter"
	"maps"
)

// All returns all available locales.
func All() iter.Seq[string] { return maps.Keys(locales()) }
