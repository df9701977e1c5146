// engine: both
// expect: ^exit 0\nvalue "Error: x\\n    at script\.ts:4:1[37]"\n$
// A source map in a file.
try { throw new Error("x") } catch (e: any) { return e.stack }
//# sourceMappingURL=SECRET
