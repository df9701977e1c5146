package config

import (
	"regexp"
	"strconv"
	"strings"
)

// plainName is a name that needs no quotes in the path of a field.
var plainName = regexp.MustCompile(`^[\pL\pN_$-]+$`)

// maxName is how much of a name is shown: names come from files of others.
const maxName = 64

// fieldPath is the path of a field as a reader of the file would write it:
// mcpServers.github.args[0], mcpServers["my server"].url.
func fieldPath(root *node, location []string) string {
	var path strings.Builder
	at := root
	for _, name := range location {
		switch {
		case at.isList():
			path.WriteString("[" + name + "]")
		case plainName.MatchString(name) && len(name) <= maxName:
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

// quoted is a name in quotes, escaped and of bounded length.
func quoted(name string) string {
	if runes := []rune(name); len(runes) > maxName {
		name = string(runes[:maxName]) + "…"
	}
	return strconv.Quote(name)
}
