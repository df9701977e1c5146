// engine: both
// expect: ^exit 0\nvalue \{"text":"hi"\}\n
// Freezing and sealing objects does not prevent calls.
import { tools } from "toolscript";
for (const thing of [Object.prototype, Array.prototype, Promise.prototype, Map.prototype, globalThis]) { try { Object.freeze(thing) } catch {} }
try { Object.preventExtensions(tools) } catch {}
return await tools.demo.echo({ text: "hi" });
