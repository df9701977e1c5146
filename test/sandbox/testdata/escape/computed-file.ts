// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// A local file, by a computed name.
const at = ["file:", "//SECRET"].join("");
try {
  await import(at, { with: { type: "json" } });
  return "imported " + at;
} catch {
  return "refused";
}
