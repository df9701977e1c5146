// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// A local file within code from text.
const at = "data:text/javascript," + encodeURIComponent("import x from 'file://SECRET' with { type: 'json' }; export default x");
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
