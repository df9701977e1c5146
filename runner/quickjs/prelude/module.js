// The module "toolscript".
const { tools, store, stdin, cwd, env, exit, ToolError, whenBegun } = globalThis.__toolscript;
delete globalThis.__toolscript;

export { tools, store, stdin, cwd, env, exit, ToolError };
export let args = [];
export let context; // of the script of an answer only
export default tools;

whenBegun((given, of) => {
  args = given;
  context = of;
});
