// engine: both
// expect: ^exit 0\nvalue \["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"\]\n$
// What the prelude itself relies on.
const tries = [
  () => { (Array.prototype as any).map = () => ["mine"] },
  () => { (Object.prototype as any).polluted = 1 },
  () => { (Promise.prototype as any).catch = () => 1 },
  () => { Object.defineProperty(String.prototype, "split", { value: () => ["mine"] }) },
  () => { (JSON as any).stringify = () => "mine" },
  () => { (Map.prototype as any).get = () => "mine" },
];
return tries.map((f) => { try { f(); return "done" } catch (e: any) { return e.name } })
