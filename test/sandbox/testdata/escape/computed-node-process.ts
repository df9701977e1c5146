// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The process, with its environment and its channels.
const at = "node:" + "process";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
