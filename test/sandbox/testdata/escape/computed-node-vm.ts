// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Code from text through node.
const at = "node:" + "vm";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
