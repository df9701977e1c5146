// facade passes the exports of the module "toolscript" to the engine.
(host, internal) => {
  'use strict';

  const { tools, store, stdin, cwd, env, exit, ToolError, whenBegun } = internal;
  globalThis.__toolscript = { tools, store, stdin, cwd, env, exit, ToolError, whenBegun };
}
