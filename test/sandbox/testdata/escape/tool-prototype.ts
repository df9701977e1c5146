// engine: both
// expect: ^exit 0\nvalue \[
// Names that every object has.
import { tools } from "toolscript";
return [typeof (tools as any).constructor, typeof (tools as any).__proto__, typeof (tools.demo as any).hasOwnProperty]
