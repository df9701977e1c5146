// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Processes through node.
const at = "node:" + "child_process";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
