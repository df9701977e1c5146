/** A tool call that failed. */
export declare class ToolError extends Error {
  readonly name: "ToolError";
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
/** Standard input of the script, read when it is asked for. */
export declare const stdin: {
  text(): Promise<string>;
  json(): Promise<any>;
  lines(): AsyncIterable<string>;
};
/** Arguments of the script. */
export declare const args: readonly string[];
/** The directory that the script was started in. */
export declare function cwd(): string;
/** The environment; only TOOLSCRIPT_GATEWAY_URL can be read. */
export declare const env: { get(name: string): string | undefined };
/** Ends the script at once. */
export declare function exit(code?: number): never;
