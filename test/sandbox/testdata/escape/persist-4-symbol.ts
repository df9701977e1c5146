// engine: both
// expect: ^exit 0\nvalue null\n$
// The registry of symbols holds no values.
return (Symbol.for("left") as any).value ?? null
