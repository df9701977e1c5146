package actors

import "github.com/toolscript/toolscript"

// ownName returns the server's own name for a tool; "" if the configuration does not rename it.
func ownName(t toolscript.Tool) string {
	if t.Original == nil || t.Original.Name == t.Name {
		return ""
	}
	return t.Original.Name
}
