// What is in this folder? One call after the other, where each uses what the
// one before it said.
//
//   toolscript overview.ts
import { tools } from "toolscript";

const stats = await tools.demo.fileStats({});
console.log(`${stats.files} files, ${stats.bytes} bytes`);
for (const { extension, files, bytes } of stats.byExtension.slice(0, 5)) {
  console.log(`  ${extension || "(none)"}: ${files} files, ${bytes} bytes`);
}

const largest = stats.largest[0];
if (largest) {
  try {
    const { text } = await tools.demo.readFile({ path: largest.path, to: 1 });
    console.log(`${largest.path} begins with: ${text.trimEnd()}`);
  } catch (error) {
    // A tool that fails throws a ToolError with the tool's own words.
    console.log(`${largest.path} cannot be shown: ${error.message}`);
  }
}
