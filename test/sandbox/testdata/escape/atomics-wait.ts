// engine: both
// expect: ^exit 0\nvalue "undefined"\n$
// Waiting in the engine.
return typeof (globalThis as any).Atomics?.wait
