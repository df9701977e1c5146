// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// A blob.
return await import("blob:null/0")
