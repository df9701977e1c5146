// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Text is no module: neither engine makes code of it.
const at = "data:text/javascript," + "export default [typeof fetch, typeof Deno.readTextFile, typeof process, typeof Worker]";
try {
  return (await import(at)).default;
} catch {
  return "refused";
}
