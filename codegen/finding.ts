/** A result of tools.$search. */
export interface FoundTool {
  /** The id of the tool: server__tool. */
  readonly toolId: string;
  readonly serverName: string;
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
