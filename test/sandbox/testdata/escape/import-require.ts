// engine: both
// expect: error check parsing ScriptCheckError: 
// CommonJS.
return require("fs").readFileSync("SECRET", "utf8")
