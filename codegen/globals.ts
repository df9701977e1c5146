/** A tool call that failed. */
export declare class ToolError extends Error {
  /** ToolError, or a name such as ToolBudgetExceededError for calls that the run may not make. */
  readonly name: string;
  /** The configured name of the server. */
  readonly server: string;
  /** The id of the tool: server__tool. */
  readonly tool: string;
  /** The kind of the failure: invalid, not_found, tool_failed, unavailable, timeout, … */
  readonly code: string;
  /** The code of a JSON-RPC error. */
  readonly rpcCode?: number;
  /** After how many milliseconds to try again, if that is known: of busy and unavailable. */
  readonly retryAfterMs?: number;
  /** The content blocks of a result that the tool marked as an error. */
  readonly content: any[];
  /** Wrong arguments, each with the reason. */
  readonly details: { path: string; message: string }[];
}
/** A call that continues after the script has ended. */
export interface Task<T> {
  /** The id of the call in this run. */
  readonly id: string;
  /** The result. */
  readonly done: Promise<T>;
  /** Cancels the call; done is then rejected. */
  cancel(): Promise<void>;
}
/** The tools of a server as functions that start a task. */
export type TasksOf<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => Task<R> : never;
};
/** The servers with such tools. A server that is not connected has the type any. */
export type Spawned<T> = {
  readonly [S in keyof T]: 0 extends 1 & T[S] ? any : TasksOf<T[S]>;
};
/** The tools by server. */
export interface Tools extends Servers, Finding {
  /** Starts a call in the background: spawn.server.tool(args). It continues after the script has ended. */
  readonly spawn: Spawned<Servers>;
}
/** Which values: of the client's session (the default), of the project, or of the user. */
export interface StoreOptions {
  scope?: "session" | "project" | "user";
}
/** How long a value is kept, such as "90s", "10m" or "24h"; without ttl, for ever. */
export interface KeepOptions extends StoreOptions {
  ttl?: string;
}
/** Values that later runs can read: JSON up to 1 MB each, up to 64 MB in a scope. */
export interface Store {
  get<T = any>(key: string, options?: StoreOptions): Promise<T | undefined>;
  set(key: string, value: unknown, options?: KeepOptions): Promise<void>;
  /** Returns whether there was a value. */
  delete(key: string, options?: StoreOptions): Promise<boolean>;
  /** The keys that begin with prefix, sorted. Times are milliseconds since 1970. */
  list(prefix?: string, options?: StoreOptions): Promise<{ key: string; bytes: number; updatedAt: number; expiresAt?: number }[]>;
  /** Changes a value as one step. change is called again if another run was faster; undefined removes the value. */
  update<T = any>(key: string, change: (before: T | undefined) => T | undefined | Promise<T | undefined>, options?: KeepOptions): Promise<T | undefined>;
  /** The value of the last run with exec --name NAME. */
  run<T = any>(name: string, options?: StoreOptions): Promise<T | undefined>;
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
/** Values that outlive the run. */
export declare const store: Store;
/** Standard input of the script, read on demand. */
export declare const stdin: Stdin;
/** Arguments of the script. */
export declare const args: readonly string[];
/** The working directory of the script. */
export declare function cwd(): string;
export declare const env: Env;
/** Ends the script at once. */
export declare function exit(code?: number): never;
