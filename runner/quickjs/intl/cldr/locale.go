package cldr

import (
	"strings"
)

// dataOf returns the locale whose data a locale uses.
func dataOf(locale string) string {
	data, _, _ := strings.Cut(locales()[locale], " ")
	return data
}

// chainOf returns a locale with data and the locales from which it inherits.
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

// Available returns the nearest available locale for a canonical tag without extensions, such
// as de-CH for de-CH-1996, or "" if there is none.
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
