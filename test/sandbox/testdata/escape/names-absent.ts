// engine: both
// expect: ^exit 0\nvalue \[\]\n$
// What reaches out has no name: fetch, Worker, WebSocket, EventSource, process, Buffer, caches, localStorage, sessionStorage, WebAssembly, SharedArrayBuffer, Atomics, BroadcastChannel, Blob, File, navigator, prompt, Request, MessageChannel, createImageBitmap, OffscreenCanvas, DecompressionStream, global, Window, self, setImmediate, reportError, LockManager, Temporal.
const names = ["fetch", "Worker", "WebSocket", "EventSource", "process", "Buffer", "caches", "localStorage", "sessionStorage", "WebAssembly", "SharedArrayBuffer", "Atomics", "BroadcastChannel", "Blob", "File", "navigator", "prompt", "Request", "MessageChannel", "createImageBitmap", "OffscreenCanvas", "DecompressionStream", "global", "Window", "self", "setImmediate", "reportError", "LockManager", "Temporal"];
return names.filter((name) => name in globalThis || (globalThis as any)[name] !== undefined)
