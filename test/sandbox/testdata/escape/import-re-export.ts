// engine: both
// expect: error check parsing ScriptCheckError: .*only "toolscript" can be imported
// By a re-export.
export * from "file://SECRET"
