// engine: both
// expect: error check parsing
// An import that is put off.
const at = "file:///etc/passwd";
try { return await import.defer(at) } catch (e: any) { return e.name }
