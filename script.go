package toolscript

import (
	"regexp"
	"sync"
)

// ScriptsServer is the name of the server whose tools are the saved scripts. It is also the
// identifier of the server: tools.$scripts. No configuration file can define a server of that name.
const ScriptsServer = "$scripts"

// SavedScript is a script that other scripts can call as tools.$scripts.NAME().
type SavedScript struct {
	Name string // identifier in scripts, and name of the file without .ts
	Path string // absolute path
	Code string
}

var scriptName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,63}$`) })

// IsScriptName reports whether name is valid for a saved script: a small letter, then
// at most 63 ASCII letters and digits. Such a name is the same on all file systems.
func IsScriptName(name string) bool { return scriptName().MatchString(name) }
