// engine: both
// expect: ^exit 0\nvalue \["undefined","undefined","undefined"\]\n$
// Internal objects of the prelude.
return ["__toolscript", "internal", "host"].map((name) => typeof (globalThis as any)[name])
