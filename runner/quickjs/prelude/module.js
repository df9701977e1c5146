// The module "toolscript".
const { tools, stdin, cwd, env, exit, ToolError, whenBegun } = globalThis.__toolscript;
delete globalThis.__toolscript;

export { tools, stdin, cwd, env, exit, ToolError };
export let args = [];
export default tools;

whenBegun((given) => { args = given; });
