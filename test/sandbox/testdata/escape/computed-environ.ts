// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The environment of another process.
const at = "file:///proc/" + 1 + "/environ";
try {
  await import(at, { with: { type: "text" } });
  return "imported " + at;
} catch {
  return "refused";
}
