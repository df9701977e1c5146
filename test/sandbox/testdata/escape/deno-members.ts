// engine: both
// expect: ^exit 0\nvalue \[\["args","cwd","env","exit"\],\[\]\]\n$
// The object Deno has only the four members of toolscript.
const names = ["readTextFile", "readTextFileSync", "open", "writeTextFile", "makeTempFile", "stat", "realPathSync", "Command", "run", "dlopen", "kill", "connect", "listen", "serve", "resolveDns", "createHttpClient", "hostname", "networkInterfaces", "systemMemoryInfo", "permissions", "addSignalListener", "execPath", "mainModule", "pid", "ppid", "openKv", "inspect", "stdin", "stdout", "internal", "core", "build", "version", "UnsafePointer", "telemetry", "FsFile", "lint", "bundle", "jupyter"];
return [Reflect.ownKeys(Deno).map(String).sort(), names.filter((name) => name in Deno)]
