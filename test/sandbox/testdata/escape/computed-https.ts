// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Another host.
const at = "https:" + "//example.com/x.ts";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
