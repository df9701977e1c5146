package toolscript

import (
	"regexp"
	"sync"
)

// ScriptsServer is the name of the server whose tools are the saved scripts, and its
// identifier: tools.$scripts. No file can configure a server of that name.
const ScriptsServer = "$scripts"

// SavedScript is a script that other scripts can call as tools.$scripts.NAME().
type SavedScript struct {
	Name string // its identifier in scripts, and the name of its file without .ts
	Path string // absolute
	Code string
}

var scriptName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,63}$`) })

// IsScriptName reports whether a saved script can have the name: a small letter, and then
// at most 63 letters and digits of ASCII. Such a name is the same on all file systems.
func IsScriptName(name string) bool { return scriptName().MatchString(name) }
