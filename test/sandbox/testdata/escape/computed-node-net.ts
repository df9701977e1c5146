// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Sockets through node.
const at = "node:" + "net";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
