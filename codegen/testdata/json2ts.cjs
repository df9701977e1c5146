// Reads a list of JSON Schemas and writes the list of what
// json-schema-to-typescript makes of each, null where it fails.
// Usage: node json2ts.cjs FOLDER_OF_NODE_MODULES <schemas.json
const path = require("node:path");
const { compile } = require(path.join(process.argv[2], "json-schema-to-typescript"));

// The library takes its names from title and $id instead of the one asked for.
function withoutNames(schema) {
  if (typeof schema !== "object" || schema === null) return schema;
  const { title, $id, ...rest } = schema;
  return rest;
}

async function main() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  const written = [];
  for (const schema of JSON.parse(Buffer.concat(chunks).toString())) {
    try {
      written.push(
        await compile(withoutNames(schema), "Root", {
          bannerComment: "",
          format: false,
          unknownAny: true,
          $refOptions: { resolve: { external: false } },
        }),
      );
    } catch {
      written.push(null);
    }
  }
  process.stdout.write(JSON.stringify(written));
}

main();
