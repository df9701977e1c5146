/** Options of a call. */
export interface CallOptions {
  /**
   * A name of the effect, chosen by the caller: 1 to 255 visible characters of ASCII. For 15 minutes, calls of a tool with the same
   * key and arguments are carried out once and have the same answer.
   */
  readonly idempotencyKey: string;
}
/** Servers and their functions. The functions have no method pages: its calls would all have the same key. */
export type WithOptions<T> = {
  readonly [K in keyof T]: 0 extends 1 & T[K] ? any : T[K] extends (...args: infer A) => infer R ? (...args: A) => R extends Promise<any> ? R : WithOptions<R> : WithOptions<T[K]>;
};
/** A result of tools.$search. */
export interface FoundTool {
  /** The id of the tool: server__tool. */
  readonly toolId: string;
  readonly serverName: string;
  /** The accounts of the server, the default first. */
  readonly accounts?: string[];
  readonly toolName: string;
  /** The expression for a call: tools.server.tool */
  readonly call: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
  readonly description: string;
  /** True if no tool matches the query well and this is one of the nearest. */
  readonly unsure?: true;
}
/** The description of a tool. */
export interface DescribedTool {
  readonly toolId: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly call: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: any;
  /** JSON Schema of the result, if the tool has one. */
  readonly outputSchema?: any;
  readonly annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
  /** The tool as TypeScript. */
  readonly types: string;
}
/** Finds tools at run time. */
export interface Finding {
  /** Tools that match the query, the best first. If none matches well, the nearest ones are marked as unsure, and nearest has their ids. */
  $search(query: string, options?: { limit?: number; threshold?: number; server?: string; readOnly?: boolean }): Promise<FoundTool[] & { readonly nearest: string[] }>;
  /** A tool by its id, or by its name in scripts: "server.tool". */
  $describe(tool: string): Promise<DescribedTool>;
}
