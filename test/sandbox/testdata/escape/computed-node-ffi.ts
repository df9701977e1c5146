// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Files of a database through node.
const at = "node:" + "sqlite";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
