// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Files through node.
const at = "node:" + "fs";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
