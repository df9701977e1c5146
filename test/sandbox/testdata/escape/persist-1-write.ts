// engine: both
// expect: ^exit 0\nvalue "TypeError"\n$
// Something for the next run, on a global.
try { (globalThis as any).left = "here"; return "left" } catch (e: any) { return e.name }
