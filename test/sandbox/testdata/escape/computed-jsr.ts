// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The registry of jsr.
const at = "jsr:" + "@std/path";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
