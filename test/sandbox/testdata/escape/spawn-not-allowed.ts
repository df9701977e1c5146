// engine: both
// expect: ^exit 0\nvalue \["forbidden","TypeError","TypeError"\]\n$
// A task is under the allow list too, and tools.spawn cannot be changed.
import { tools } from "toolscript";
const any = tools as any;
const refused = await any.spawn.demo.getThing({}).done.catch((e: any) => e.code);
const names: string[] = [];
for (const change of [() => { any.spawn = {} }, () => { any.spawn.demo.echo = 1 }]) { try { change(); names.push("changed") } catch (e: any) { names.push(e.name) } }
return [refused, ...names];
