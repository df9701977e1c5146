// engine: both
// expect: ^exit 0\nvalue \[\]\n$
// What reaches out has no name: fetch, Worker, WebSocket, EventSource, process, Buffer, caches, localStorage, sessionStorage, WebAssembly, SharedArrayBuffer, Atomics, BroadcastChannel, File, navigator, prompt, Request, MessageChannel, createImageBitmap, OffscreenCanvas, global, Window, self, reportError, LockManager, Temporal.
const names = ["fetch", "Worker", "WebSocket", "EventSource", "process", "Buffer", "caches", "localStorage", "sessionStorage", "WebAssembly", "SharedArrayBuffer", "Atomics", "BroadcastChannel", "File", "navigator", "prompt", "Request", "MessageChannel", "createImageBitmap", "OffscreenCanvas", "global", "Window", "self", "reportError", "LockManager", "Temporal"];
return names.filter((name) => name in globalThis || (globalThis as any)[name] !== undefined)
