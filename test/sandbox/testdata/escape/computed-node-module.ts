// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// createRequire through node.
const at = "node:" + "module";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
