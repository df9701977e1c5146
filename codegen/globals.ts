/** A tool call that failed. */
export declare class ToolError extends Error {
  /** ToolError, or ToolBudgetExceededError and the like for what the run may not do. */
  readonly name: string;
  /** The server as it is configured. */
  readonly server: string;
  /** The id of the tool: server__tool. */
  readonly tool: string;
  /** What kind of failure: invalid, not_found, tool_failed, unavailable, timeout, … */
  readonly code: string;
  /** The number of a JSON-RPC error. */
  readonly rpcCode?: number;
  /** The content blocks of a result that the tool marked as an error. */
  readonly content: any[];
  /** Which arguments do not fit, and why. */
  readonly details: { path: string; message: string }[];
}
/** A call that goes on when the script has ended. */
export interface Task<T> {
  /** The answer. */
  readonly done: Promise<T>;
  /** Ends the call; done is then rejected. */
  cancel(): Promise<void>;
}
/** Every tool of a server as one that starts a task. */
export type TasksOf<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => Task<R> : never;
};
/** The servers with such tools; one that is not connected stays any. */
export type Spawned<T> = {
  readonly [S in keyof T]: 0 extends 1 & T[S] ? any : TasksOf<T[S]>;
};
/** The tools by server. */
export interface Tools extends Servers, Finding {
  /** Starts a call without waiting for it: spawn.server.tool(args). It outlives the script. */
  readonly spawn: Spawned<Servers>;
}
/** Standard input of the script. */
export interface Stdin {
  text(): Promise<string>;
  json(): Promise<any>;
  lines(): AsyncIterable<string>;
}
/** The environment; only TOOLSCRIPT_GATEWAY_URL can be read. */
export interface Env {
  get(name: string): string | undefined;
  has(name: string): boolean;
  toObject(): Record<string, string>;
}
/** Standard input of the script, read when it is asked for. */
export declare const stdin: Stdin;
/** Arguments of the script. */
export declare const args: readonly string[];
/** The directory that the script was started in. */
export declare function cwd(): string;
export declare const env: Env;
/** Ends the script at once. */
export declare function exit(code?: number): never;
