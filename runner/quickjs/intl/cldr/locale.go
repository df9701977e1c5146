package cldr

import (
	"iter"
	"maps"
	"strings"
)

// Default is the locale of scripts that name none.
const Default = "en-US"

// dataOf returns the locale whose data a locale has.
func dataOf(locale string) string {
	data, _, _ := strings.Cut(locales()[locale], " ")
	return data
}

// chainOf returns a locale with data and those that it inherits from.
func chainOf(data string) []string {
	chain := []string{data}
	for data != "" {
		_, data, _ = strings.Cut(locales()[data], " ")
		if data != "" {
			chain = append(chain, data)
		}
	}
	return chain
}

// Available returns the locale with data that is nearest to a canonical tag without
// extensions: de-CH-1996 has the data of de-CH. It returns "" if there is none.
func Available(tag string) string {
	for tag != "" {
		if _, known := locales()[tag]; known {
			return tag
		}
		cut := strings.LastIndexByte(tag, '-')
		if cut < 0 {
			return ""
		}
		if cut >= 2 && tag[cut-2] == '-' {
			cut -= 2
		}
		tag = tag[:cut]
	}
	return ""
}

// All returns all locales.
func All() iter.Seq[string] { return maps.Keys(locales()) }
