package scripterror

import (
	"path"
	"strings"

	"github.com/toolscript/toolscript/internal/naming"
)

// Need is a capability that a script does not have.
type Need struct {
	Advice string // one sentence
	Query  string // search query for tools that provide it; "" if no tool is needed
}

var (
	network = Need{"scripts have no network; a tool fetches pages and calls APIs", "fetch a URL"}
	files   = Need{"scripts have no files; a tool reads and writes them", "read a file"}
	program = Need{"scripts start no programs; a tool runs commands", "run a shell command"}
	process = Need{"scripts have no process; use args, env.get(name), cwd(), exit(code) and stdin.text()", ""}
	paths   = Need{"scripts have no modules of node; paths are strings, and new URL(name, base) joins them", ""}
	modules = Need{"scripts import files such as \"./lib.ts\" and no packages; the language, tools and the exports of \"toolscript\" need no import", ""}
	encoded = Need{"use TextEncoder, TextDecoder, Blob, atob, btoa or Uint8Array.fromBase64", ""}
	digests = Need{"use crypto.subtle.digest, crypto.subtle.sign and crypto.randomUUID", ""}
	zipped  = Need{"use CompressionStream and DecompressionStream", ""}
	browser = Need{"scripts run outside of a browser; a tool controls one", "open a web page in a browser"}
	shell   = Need{"this is a shell command, and a script is TypeScript; a tool runs commands", "run a shell command"}
	python  = Need{"this is Python, and a script is TypeScript; console.log prints", ""}
	deno    = Need{"scripts have only cwd, exit, args and env of Deno; tools give access to network and files", ""}
)

// Finding explains how a script finds tools. It is the advice for unknown names such as searchTools and list_tools.
var Finding = Need{"a script finds tools with await tools.$search(\"what it does\") and reads their types with await tools.$describe(\"server.tool\")", ""}

var globals = map[string]Need{
	"fetch": network, "XMLHttpRequest": network, "WebSocket": network, "EventSource": network, "Request": network, "Response": network,
	"Headers": network, "axios": network, "http": network, "https": network, "net": network,
	"fs": files, "readFile": files, "readFileSync": files, "writeFile": files, "writeFileSync": files, "existsSync": files, "readdirSync": files,
	"child_process": program, "exec": program, "execSync": program, "spawn": program, "spawnSync": program, "$": program, "Bun": program,
	"process": process, "os": process, "path": paths,
	"require": modules, "module": modules, "exports": modules, "__dirname": paths, "__filename": paths,
	"Buffer": encoded,
	"window": browser, "document": browser, "localStorage": browser, "alert": browser, "navigator": browser,
	"Deno": deno,
	"ls":   shell, "pwd": shell, "cat": shell, "curl": shell, "wget": shell, "git": shell, "npm": shell, "npx": shell, "grep": shell,
	"cd": shell, "sudo": shell, "docker": shell, "kubectl": shell, "gh": shell, "whoami": shell,
	"print": python, "len": python, "None": python, "True": python, "False": python,
	"search": Finding, "searchTools": Finding, "search_tools": Finding, "findTools": Finding, "listTools": Finding, "list_tools": Finding,
	"describe": Finding, "describeTools": Finding, "describe_tools": Finding,
}

var ofModules = map[string]Need{
	"axios": network, "node-fetch": network, "undici": network, "got": network, "http": network, "https": network, "net": network,
	"http2": network, "ws": network, "dns": network, "tls": network,
	"fs": files, "fs/promises": files, "fs-extra": files, "glob": files,
	"child_process": program, "execa": program, "zx": program, "shelljs": program, "worker_threads": program,
	"process": process, "os": process, "path": paths, "url": paths,
	"buffer": encoded, "crypto": digests, "uuid": digests, "zlib": zipped, "pako": zipped, "fflate": zipped, "playwright": browser, "puppeteer": browser,
}

// Global returns the alternative to a global name of another environment.
func Global(name string) (Need, bool) {
	need, ok := globals[name]
	return need, ok
}

// Missing returns the message about a name that is not a member of a server, or of tools if server < 0.
func Missing(names *naming.Table, server int, name string) string {
	if need := globals[name]; server < 0 && need == Finding {
		return "tools." + name + " does not exist: " + need.Advice
	}
	return names.Missing(server, name)
}

// MissingModule returns the alternative to a module of Node or npm, or to a file of such a module.
func MissingModule(name string) (Need, bool) {
	need, ok := ofModules[strings.TrimPrefix(name, "node:")]
	if !ok && path.Dir(name) != "." && !strings.HasPrefix(name, ".") {
		need, ok = ofModules[strings.TrimPrefix(path.Dir(name), "node:")]
	}
	return need, ok
}
