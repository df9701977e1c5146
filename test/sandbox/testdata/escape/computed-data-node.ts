// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// node within code from text.
const at = "data:text/javascript," + encodeURIComponent("import fs from 'node:fs'; export default fs");
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
