// engine: both
// expect: ^exit 0\nvalue \["undefined","undefined","undefined","undefined"\]\n$
// The functions by which the gateway answers.
return ["settle", "feed", "fire", "begin"].map((name) => typeof (globalThis as any)[name])
