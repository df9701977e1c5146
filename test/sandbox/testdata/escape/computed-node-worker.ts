// engine: both
// expect: ^exit 0\nvalue "refused"\n$
// Threads through node: they would have the caches of Deno.
const at = "node:" + "worker_threads";
try {
  await import(at);
  return "imported " + at;
} catch {
  return "refused";
}
