package intl

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/toolscript/toolscript/runner/quickjs/intl/cldr"
)

// found is the result of Locales.
type found struct {
	Error     string            `json:"error,omitempty"`
	Canonical []string          `json:"canonical"`
	Supported []string          `json:"supported"`
	Locale    string            `json:"locale"`   // the first available locale, or ""
	Keywords  map[string]string `json:"keywords"` // keywords of the extension u in the tag of Locale
}

// Locales canonicalizes language tags and finds the supported ones. Both texts are JSON.
func Locales(tags string) string {
	var list []string
	f := found{Canonical: []string{}, Supported: []string{}, Keywords: map[string]string{}}
	if err := json.Unmarshal([]byte(tags), &list); err != nil {
		f.Error = err.Error()
	}
	for _, text := range list {
		tag, err := cldr.ParseTag(text)
		if err != nil {
			f.Error = err.Error()
			break
		}
		f.add(tag)
	}
	return asJSON(f)
}

func (f *found) add(tag cldr.Tag) {
	name := tag.String()
	if slices.Contains(f.Canonical, name) {
		return
	}
	f.Canonical = append(f.Canonical, name)
	available := cldr.Available(tag.Base)
	if available == "" {
		return
	}
	f.Supported = append(f.Supported, name)
	if f.Locale == "" {
		f.Locale = available
		maps.Copy(f.Keywords, tag.Keywords)
	}
}
