package config

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// plainName matches names that need no quotes in a path.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL\pN_$-]+$`) })

// maxName is the maximum length of the shown part of a name.
const maxName = 64

// fieldPath returns the path of a field for people: mcpServers.github.args[0],
// mcpServers["my server"].url.
func fieldPath(root *node, location []string) string {
	var path strings.Builder
	at := root
	for _, name := range location {
		switch {
		case at.isList():
			path.WriteString("[" + name + "]")
		case plainName().MatchString(name) && len(name) <= maxName:
			if path.Len() > 0 {
				path.WriteByte('.')
			}
			path.WriteString(name)
		default:
			path.WriteString("[" + quoted(name) + "]")
		}
		at = at.child(name)
	}
	return path.String()
}

// quoted returns a name in quotes, escaped and shortened.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	return strconv.Quote(name)
}
