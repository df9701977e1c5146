// engine: both
// expect: error check parsing
// A deferred import.
const at = "file:///etc/passwd";
try { return await import.defer(at) } catch (e: any) { return e.name }
