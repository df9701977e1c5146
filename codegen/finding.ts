/** A tool that tools.$search found. */
export interface FoundTool {
  /** As GET /search and --allow name it: server__tool. */
  readonly toolId: string;
  readonly serverName: string;
  readonly toolName: string;
  /** As a script calls it: tools.server.tool */
  readonly call: string;
  /** From 0 to 1. */
  readonly confidence: number;
  readonly reason: string;
  readonly description: string;
  /** The tool only comes nearest: none matches the query well. */
  readonly unsure?: true;
}
/** What there is to know of a tool. */
export interface DescribedTool {
  readonly toolId: string;
  readonly serverName: string;
  readonly toolName: string;
  readonly call: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: any;
  /** JSON Schema of the result, of a tool that promises one. */
  readonly outputSchema?: any;
  readonly annotations: { readOnlyHint?: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean };
  /** The tool as TypeScript. */
  readonly types: string;
}
/** Finds tools at run time. */
export interface Finding {
  /** Tools that do what the query says, the best first. If none matches well, the nearest ones are unsure, and nearest has their ids. */
  $search(query: string, options?: { limit?: number; threshold?: number; server?: string; readOnly?: boolean }): Promise<FoundTool[] & { readonly nearest: string[] }>;
  /** A tool by its id, or as a script calls it: "server.tool". */
  $describe(tool: string): Promise<DescribedTool>;
}
