// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Text is not a module: neither engine runs it as code.
const at = "data:text/javascript," + "export default [typeof fetch, typeof Deno.readTextFile, typeof process, typeof Worker]";
try {
  return (await import(at)).default;
} catch {
  return "refused";
}
