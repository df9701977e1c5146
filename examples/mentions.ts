// Where are these words mentioned? The words come on standard input, one a line,
// the folder is an argument, and the answer is JSON for the next program.
//
//   printf 'stdin\nargs\n' | toolscript mentions.ts . | jq .stdin
import { args, stdin, tools } from "toolscript";

const dir = args[0] ?? ".";
const found: Record<string, string[]> = {};
for await (const line of stdin.lines()) {
  const word = line.trim();
  if (!word) continue;
  // Messages for people go to stderr, so that they do not get into the JSON.
  console.error(`looking for ${word} in ${dir}`);
  const { matches } = await tools.demo.searchText({ pattern: `\\b${word}\\b`, dir, glob: "*.ts" });
  found[word] = matches.map(({ path, line }) => `${path}:${line}`);
}
export default found;
