package deno

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// builtin are the modules that Deno carries. An import map can refuse modules by
// name alone; files, other hosts and npm are refused by the flags.
var builtin = strings.Fields(`assert assert/strict async_hooks buffer child_process cluster console constants crypto
	dgram diagnostics_channel dns dns/promises domain events fs fs/promises http http2 https inspector inspector/promises
	module net os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises repl sea
	sqlite stream stream/consumers stream/promises stream/web string_decoder sys test test/reporters timers
	timers/promises tls trace_events tty url util util/types v8 vm wasi worker_threads zlib`)

// importMap leads "toolscript" to the module at a process's own address and
// refuses every module that Deno has within itself.
func importMap(base, version string) ([]byte, error) {
	address := base + "/runtime/tools.ts?_t=" + url.QueryEscape(version)
	imports := map[string]any{"toolscript": address}
	for _, name := range builtin {
		imports["node:"+name] = nil
	}
	return json.Marshal(map[string]any{"imports": imports})
}

// arguments are Deno's. host is the door's, always spelled with the number: a
// grant holds for one spelling. Every right that is not named is not given.
func arguments(host, importMap, loader, run string) []string {
	return []string{
		"run", "--quiet",
		"--no-check",  // the types have been checked, by the gateway's own checker
		"--no-prompt", // what is not allowed fails instead of asking
		"--no-config", // a deno.json of whoever owns the folder has no say
		"--no-lock",
		"--no-npm", // an npm: import goes to the registry whatever --allow-net says
		"--allow-net=" + host,
		"--allow-import=" + host,
		"--allow-env=TOOLSCRIPT_GATEWAY_URL,TZ", // TZ is set by the loader, which then gives it up
		"--location=http://" + run + ".invalid/",
		"--import-map=" + importMap,
		// Text never becomes code, as on QuickJS; the heap has a bound, which holds
		// for objects alone: buffers are watched from outside.
		fmt.Sprintf("--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=%d", HeapMB),
		loader,
	}
}

// environment is all that the process can know of ours.
func environment(base, folder string) []string {
	return []string{
		"TOOLSCRIPT_GATEWAY_URL=" + base,
		"DENO_DIR=" + folder,
		"DENO_NO_UPDATE_CHECK=1",
		"NO_COLOR=1",
	}
}
