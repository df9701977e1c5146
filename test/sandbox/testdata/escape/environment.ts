// engine: both
// expect: ^exit 0\nvalue \[null,null,null,null,\[\]\]\n$
// The environment of the host, of which one variable can be read.
const { env } = Deno as any;
const found = ["HOME", "PATH", "TOOLSCRIPT_TEST_SECRET", "DENO_DIR"].map((name) => env.get(name) ?? null);
return [...found, Object.keys(env.toObject()).filter((name) => name !== "TOOLSCRIPT_GATEWAY_URL")]
