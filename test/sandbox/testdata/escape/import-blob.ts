// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A blob.
return await import("blob:null/0")
