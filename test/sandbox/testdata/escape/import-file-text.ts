// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A static import of a local file as text: Deno reads those of its entry without asking.
import x from "SECRET" with { type: "text" };
return x
