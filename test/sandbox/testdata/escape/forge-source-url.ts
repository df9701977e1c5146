// engine: both
// expect: ^exit 0\nvalue "Error: x\\n    at script\.ts:4:1[37]"\n$
// Another name for the script.
try { throw new Error("x") } catch (e: any) { return e.stack }
//# sourceURL=/etc/passwd
