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
  /** The HTTP status of the answer of an API. */
  readonly status?: number;
  /**
   * Whether the server got the call: "no", "yes" (it answered), or "unknown" (no answer arrived). After "unknown", another call
   * may have a second effect.
   */
  readonly sent: "no" | "unknown" | "yes";
  /** After how many milliseconds to try again, if that is known and another call has no second effect. */
  readonly retryAfterMs?: number;
  /** The content blocks of a result that the tool marked as an error. */
  readonly content: any[];
  /** The structured content of such a result. */
  readonly structuredContent?: any;
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
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => Task<R>
    : T[K] extends (...args: infer A) => infer R ? (...args: A) => TasksOf<R> : never;
};
/** The servers with such tools. A server that is not connected has the type any. */
export type Spawned<T> = {
  readonly [S in keyof T]: 0 extends 1 & T[S] ? any : TasksOf<T[S]>;
};
/** The tools by server. */
export interface Tools extends Servers, Finding {
  /** Starts a call in the background: spawn.server.tool(args). It continues after the script has ended. */
  readonly spawn: Spawned<Servers>;
  /** The servers, with functions whose calls have these options: $with({ idempotencyKey: "order-4711" }).server.tool(args). */
  $with(options: CallOptions): WithOptions<Servers>;
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
/** Standard input of the script, read on demand. */
export declare const stdin: Stdin;
/** Arguments of the script. */
export declare const args: readonly string[];
/** The working directory of the script. */
export declare function cwd(): string;
export declare const env: Env;
/** Ends the script at once. */
export declare function exit(code?: number): never;
declare global {
  interface Object {
    /** Of the result of a tool: its content blocks, if the value lacks a part of them, such as images. */
    readonly $content?: any[];
  }
}
