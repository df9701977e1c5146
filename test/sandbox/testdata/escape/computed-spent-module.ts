// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The module of a run that has ended.
const at = "SPENT" + "/runtime/tools.ts";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
