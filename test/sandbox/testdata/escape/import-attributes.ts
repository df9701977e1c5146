// engine: both
// expect: ^exit 0\nvalue "object"\n$
// The module as text.
const name = "toolscript";
try { const m = await import(name, { with: { type: "text" } } as any); return typeof m.default } catch (e: any) { return e.name }
