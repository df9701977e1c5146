// engine: both
// expect: ^exit 0\nvalue 0\n$
// A buffer that goes away under its view.
const b: any = new ArrayBuffer(64);
const v = new Uint8Array(b);
const args = { valueOf() { b.transfer(0); return 1 } };
try { v.fill(args as any); v.set([1], args as any) } catch {}
try { crypto.getRandomValues(v) } catch {}
try { new TextDecoder().decode(v) } catch {}
try { structuredClone(v) } catch {}
return v.length
