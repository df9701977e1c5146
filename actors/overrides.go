package actors

import "github.com/toolscript/toolscript"

// ownName is the server's own name for a tool; "" if it has no other.
func ownName(t toolscript.Tool) string {
	if t.Original == nil || t.Original.Name == t.Name {
		return ""
	}
	return t.Original.Name
}
