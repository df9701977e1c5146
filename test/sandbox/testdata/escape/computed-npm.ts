// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// The registry of npm.
const at = "npm:" + "is-number@7";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
