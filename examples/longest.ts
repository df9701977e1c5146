// Which files have the most lines? All are read at the same time: the calls that
// Promise.all waits for run in parallel, as many at once as the limit allows.
//
//   toolscript longest.ts "*.ts"
import { args, tools } from "toolscript";

const { files } = await tools.demo.listFiles({ glob: args[0] ?? "*.ts" });
const counted = await Promise.all(
  files.map(async ({ path }) => {
    const { lines } = await tools.demo.readFile({ path, to: 1 });
    return { path, lines };
  }),
);
counted.sort((a, b) => b.lines - a.lines || a.path.localeCompare(b.path));
export default counted.slice(0, 5);
