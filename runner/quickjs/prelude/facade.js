// facade hands the module "toolscript" what it exports.
(host, internal) => {
  'use strict';

  const { tools, stdin, cwd, env, exit, ToolError, whenBegun } = internal;
  globalThis.__toolscript = { tools, stdin, cwd, env, exit, ToolError, whenBegun };
}
