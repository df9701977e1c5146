// engine: both
// expect: error check parsing ScriptCheckError: .*import
// A local file within code from text.
return (await import("data:text/javascript,import x from %22file://SECRET%22 with {type:%22json%22};export default x")).default
