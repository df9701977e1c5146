// engine: both
// expect: error check parsing ScriptCheckError: .*import
// Deno's modules of node.
import fs from "node:fs";
return fs.readFileSync("SECRET", "utf8")
