// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Another port.
const at = "http://127.0.0.1:" + OTHER + "/x.ts";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
