// engine: both
// expect: error check parsing ScriptCheckError: .*import
// By a re-export.
export * from "file://SECRET"
