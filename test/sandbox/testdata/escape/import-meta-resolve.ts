// engine: both
// expect: ^exit 0\nvalue "TypeError"\n$
// Resolving against the module.
try { return String((import.meta as any).resolve("SECRET")) } catch (e: any) { return e.name }
