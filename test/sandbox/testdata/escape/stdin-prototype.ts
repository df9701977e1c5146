// engine: both
// expect: ^exit 0\nvalue \["TypeError","TypeError"\]\n$
// What leads from stdin.lines() is frozen.
import { stdin } from "toolscript";
const lines: any = stdin.lines();
const names: string[] = [];
for (const change of [
  () => { Object.getPrototypeOf(lines).next = () => 1 },
  () => { Object.getPrototypeOf(lines).constructor.prototype.leak = 1 },
]) { try { change(); names.push("changed") } catch (e: any) { names.push(e.name) } }
return names;
