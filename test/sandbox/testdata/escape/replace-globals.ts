// engine: both
// expect: ^exit 0\nvalue "TypeError"\n$
// The globals themselves.
try { (globalThis as any).Promise = class { static resolve() { return "mine" } }; return "done" } catch (e: any) { return e.name }
