package toolscript

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"sync"
)

// ScriptModule is a file that a script can import as "./PATH".
type ScriptModule struct {
	Path    string `json:"path"` // path relative to the folder of the script: lib.ts, parts/a.ts
	Code    string `json:"code,omitempty"`
	Problem string `json:"problem,omitempty"` // why the file cannot be imported; Code is then empty
}

// MostModules is the maximum number of modules of one script.
const MostModules = 100

// moduleExtensions are the file extensions of ECMAScript modules.
var moduleExtensions = []string{".ts", ".mts", ".js", ".mjs"}

// IsModule reports whether a file name has the extension of a module.
func IsModule(name string) bool { return slices.Contains(moduleExtensions, path.Ext(name)) }

// modulePath matches paths that are safe in stack traces and unchanged as part of a URL.
var modulePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^():#?%\\\x00-\x1f]{1,200}$`) })

// IsModulePath reports whether a script can import "./"+p.
func IsModulePath(p string) bool {
	return IsModule(p) && fs.ValidPath(p) && modulePath().MatchString(p)
}

func (r ExecRequest) wrongModules() []Detail {
	if len(r.Modules) > MostModules {
		return []Detail{{"/modules", fmt.Sprintf("must have at most %d entries", MostModules)}}
	}
	known := map[string]bool{}
	for i, m := range r.Modules {
		if !IsModulePath(m.Path) || known[m.Path] {
			return []Detail{{fmt.Sprintf("/modules/%d/path", i), fmt.Sprintf("must be the path of another module below the script, such as lib.ts, not %.60q", m.Path)}}
		}
		known[m.Path] = true
	}
	return nil
}
