// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A literal dynamic import belongs to the static graph in Deno.
return (await import("file://SECRET", { with: { type: "json" } })).default
