// engine: deno
// expect: ^exit 0\nvalue \[true,43\]\n$
// The capability of a run is its own and is not that of the run before.
const url = Deno.env.get("TOOLSCRIPT_GATEWAY_URL")!;
return [url !== "SPENT", url.split("/").at(-1)!.length]
