// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Another spelling.
const at = "http://localhost:" + OTHER + "/x.ts";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
