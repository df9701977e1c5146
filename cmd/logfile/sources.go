package logfile

import (
	"maps"
	"runtime"
	"slices"
	"strings"
)

// sources are the names by which Levels select lines of the log, by the folders of this module whose
// lines have that name. The longest folder applies. The names stay when a folder is moved.
var sources = map[string]string{
	"actors":                "gateway",
	"actors/approval":       "approvals",
	"actors/audit":          "audit",
	"actors/catalog":        "catalog",
	"actors/live":           "live",
	"actors/login":          "login",
	"actors/pin":            "pins",
	"actors/runs":           "runs",
	"actors/search":         "search",
	"actors/server":         "server",
	"actors/store":          "store",
	"actors/typecache":      "types",
	"actors/workers":        "workers",
	"cmd":                   "command",
	"cmd/daemon":            "gateway",
	"cmd/hook":              "hook",
	"cmd/mcp":               "mcp",
	"cmd/hub":               "hub",
	"codegen":               "types",
	"harness":               "harness",
	"internal":              "gateway",
	"runner":                "runs",
	"runner/confined":       "server",
	"runner/worker":         "workers",
	"transport":             "server",
	"transport/api":         "api",
	"transport/hub":         "hub",
	"transport/oauth":       "login",
	"transport/telemetry":   "telemetry",
	"transport/builtin/web": "web",
}

// Sources returns the names of all sources, sorted.
func Sources() []string {
	return slices.Compact(slices.Sorted(maps.Values(sources)))
}

const module = "github.com/toolscript/toolscript/"

// sourceOf returns the source of a line that the function at pc has logged, or "" if the function
// is not of this module.
func sourceOf(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	path, ours := strings.CutPrefix(frame.Function, module)
	if !ours {
		return ""
	}
	slash := strings.LastIndexByte(path, '/') + 1
	name, _, _ := strings.Cut(path[slash:], ".")
	for folder := path[:slash] + name; folder != ""; folder = folder[:max(0, strings.LastIndexByte(folder, '/'))] {
		if source, ok := sources[folder]; ok {
			return source
		}
	}
	return ""
}
