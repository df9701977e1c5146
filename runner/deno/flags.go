package deno

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// builtin lists the modules of Node that Deno includes. An import map can only refuse modules
// by their full names; flags refuse files, other hosts and npm.
var builtin = strings.Fields(`assert assert/strict async_hooks buffer child_process cluster console constants crypto
	dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises
	module net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl sea
	sqlite stream stream/consumers stream/promises stream/web string_decoder sys test test/reporters timers
	timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib`)

// importMap returns an import map that maps "toolscript" to the module below base, the
// address of a process, and refuses the modules in builtin.
func importMap(base, version string) ([]byte, error) {
	address := base + "/runtime/tools.ts?_t=" + url.QueryEscape(version)
	imports := map[string]any{"toolscript": address}
	for _, name := range builtin {
		imports["node:"+name] = nil
	}
	return json.Marshal(map[string]any{"imports": imports})
}

// arguments returns the arguments of Deno. host is the IP address and port of the loopback
// server: a permission is only valid for one spelling of a host. Deno denies every permission
// that is not listed.
func arguments(host, importMap, loader, run string) []string {
	return []string{
		"run", "--quiet",
		"--no-check",  // the gateway's checker has checked the types
		"--no-prompt", // missing permissions cause errors instead of questions
		"--no-config", // a deno.json in the folder has no effect
		"--no-lock",
		"--no-npm", // npm: imports reach the registry despite --allow-net
		"--allow-net=" + host,
		"--allow-import=" + host,
		"--allow-env=TOOLSCRIPT_GATEWAY_URL,TZ", // the loader sets TZ and then drops the permission
		"--location=http://" + run + ".invalid/",
		"--import-map=" + importMap,
		// Text cannot become code, as on QuickJS. The heap limit applies to objects; the
		// gateway watches buffers.
		fmt.Sprintf("--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=%d%s", heapMB, stackFlag()),
		loader,
	}
}

// stackKB is V8's stack limit if the system gives the main thread 8 MB. Deno passes all
// unhandled rejections to one function as its arguments, and with V8's default limit of 984
// KB, it ends if there are more than about 60,000.
const stackKB = 3900

func stackFlag() string {
	if stackLimit() < 8<<20 {
		return ""
	}
	return fmt.Sprintf(",--stack-size=%d", stackKB)
}

// environment returns the complete environment of a process.
func environment(base, folder string) []string {
	return []string{
		"TOOLSCRIPT_GATEWAY_URL=" + base,
		"DENO_DIR=" + folder,
		"DENO_NO_UPDATE_CHECK=1",
		"NO_COLOR=1",
	}
}
