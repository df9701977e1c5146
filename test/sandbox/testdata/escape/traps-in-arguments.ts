// engine: both
// expect: ^exit 0\nvalue \[\{"text":"trap"\},\{"text":"own"\},"throws"\]\n
// Proxies, toJSON and getters in the arguments run as the script, and see nothing of ours.
import { tools } from "toolscript";
const proxy: any = new Proxy({ text: "trap" }, {
  get(target: any, key) { if (key === "toJSON") return undefined; return target[key]; },
  ownKeys: () => ["text"],
  getOwnPropertyDescriptor: () => ({ value: "trap", enumerable: true, configurable: true }),
});
const first = await tools.demo.echo(proxy);
const second = await tools.demo.echo({ toJSON() { return { text: "own" } } } as any);
const third = await tools.demo.echo({ get text() { throw new Error("throws") } } as any).catch((e: any) => e.message);
return [first, second, third];
