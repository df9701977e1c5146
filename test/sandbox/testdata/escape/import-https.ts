// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A module of another host.
import x from "https://example.com/x.ts";
return x
