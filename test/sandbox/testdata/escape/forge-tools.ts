// engine: both
// expect: ^exit 0\nvalue \["TypeError","TypeError"\]\n$
// Replaced tools.
import { tools } from "toolscript";
return [() => { (tools as any).demo = { echo: () => "mine" } }, () => { (tools.demo as any).echo = () => "mine" }].map((f) => { try { f(); return "done" } catch (e: any) { return e.name } })
