// engine: both
// expect: ^exit 0\nvalue \["undefined","undefined","undefined"\]\n$
// What the prelude shares within itself.
return ["__toolscript", "internal", "host"].map((name) => typeof (globalThis as any)[name])
