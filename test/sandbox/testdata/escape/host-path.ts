// engine: both
// expect: ^exit 0\nvalue false\n$
// Paths of the host in a stack.
const stacks = [new Error("a").stack, (() => { try { (null as any).x } catch (e: any) { return e.stack } })(), (() => { try { structuredClone(() => 1) } catch (e: any) { return e.stack } })()];
return stacks.some((s) => /file:|\/tmp\/|loader|blob:|\.js/.test(String(s)))
