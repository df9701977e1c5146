// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// Deno's modules of node.
import fs from "node:fs";
return fs.readFileSync("SECRET", "utf8")
