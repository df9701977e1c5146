#!/usr/bin/env node
"use strict";

// Runs the program of the package for this platform, with the same arguments, streams
// and exit code. The process becomes the program where node can do that.

const fs = require("fs");
const os = require("os");
const { spawn } = require("child_process");

const platform = `${process.platform}-${process.arch}`;
const name = `@toolscript/${platform}`;
const supported = Object.keys(require("../package.json").optionalDependencies);

function fail(reason) {
  process.stderr.write(`toolscript: ${reason}\n`);
  process.exit(1);
}

function find() {
  if (!supported.includes(name)) {
    fail(`there is no program for ${platform}; to build it, see https://github.com/toolscript/toolscript`);
  }
  try {
    return require.resolve(`${name}/bin/toolscript${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    fail(`the package ${name} is missing: node_modules was made on another platform, or without optional dependencies; run: npm install --include=optional toolscript`);
  }
}

function become(program, args) {
  if (typeof process.execve !== "function") return; // node before 22.15, and Windows
  try {
    fs.accessSync(program, fs.constants.X_OK); // execve ends the process if it fails
  } catch {
    return;
  }
  process.execve(program, [program, ...args], process.env);
}

function run(program, args) {
  const env = { ...process.env };
  // A hook takes its parent for the agent. Its parent is this process, which ends early.
  if (args[0] === "hook" && !env.CLAUDE_PID) env.CLAUDE_PID = String(process.ppid);
  const child = spawn(program, args, { env, stdio: "inherit" });
  child.on("error", (err) => fail(`cannot start ${program}: ${err.message}`));
  // The terminal sends SIGINT to both processes; the program decides when to end.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) {
    process.on(signal, () => child.kill(signal));
  }
  child.on("exit", (code, signal) => {
    process.exit(code === null ? 128 + (os.constants.signals[signal] || 0) : code);
  });
}

const program = find();
const args = process.argv.slice(2);
if (process.platform !== "win32") become(program, args);
run(program, args);
