// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The environment by its path, as text.
const at = ["/etc", "passwd"].join("/");
try {
  await import(at, { with: { type: "text" } });
  return "imported " + at;
} catch {
  return "refused";
}
