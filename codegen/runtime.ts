// Made by toolscript from the tools of the connected MCP servers. Do not edit.

/** A tool call that failed. */
export class ToolError extends Error {
  override readonly name = "ToolError";
  /** The server as it is configured. */
  readonly server: string;
  /** The id of the tool: server__tool. */
  readonly tool: string;
  /** What kind of failure: invalid, not_found, tool_failed, unavailable, timeout, … */
  readonly code: string;
  /** The number of a JSON-RPC error. */
  readonly rpcCode?: number;
  /** The content blocks of a result that the tool marked as an error. */
  readonly content: unknown[];
  /** Which arguments do not fit, and why. */
  readonly details: { path: string; message: string }[];

  constructor(server: string, tool: string, code: string, message: string, more: any = {}) {
    super(message);
    this.server = server;
    this.tool = tool;
    this.code = code;
    this.rpcCode = more.rpcCode;
    this.content = more.content ?? [];
    this.details = more.details ?? [];
  }
}

const host: any = globalThis;
const gateway: string | undefined = host.Deno
  ? host.Deno.env.get("TOOLSCRIPT_GATEWAY_URL")
  : host.process?.env?.TOOLSCRIPT_GATEWAY_URL;

/** A call that goes on without being waited for. */
export interface Task<T> {
  readonly done: Promise<T>;
  /** Ends the call; done is then rejected. */
  cancel(): Promise<void>;
}
/** Every tool as one that starts a task. */
export type Spawned<T> = {
  readonly [S in keyof T]: {
    readonly [K in keyof T[S]]: T[S][K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => Task<R> : never;
  };
};

let starting: any; // the signal of the task that is being started

function withSpawn<T extends object>(servers: T): T & { readonly spawn: Spawned<T> } {
  const start = (method: any) => (params: unknown) => {
    const controller = new host.AbortController();
    starting = controller.signal;
    const done: Promise<any> = method(params); // reads the signal before it returns
    starting = undefined;
    const settled: Promise<void> = done.then(() => {}, () => {});
    return { done, cancel: () => (controller.abort(), settled) };
  };
  const each = (object: any, change: (member: any) => any) =>
    Object.fromEntries(Object.entries(object).map(([name, member]) => [name, change(member)]));
  const spawn = each(servers, (server) => each(server, start));
  return Object.defineProperty(servers, "spawn", { value: spawn }) as any;
}

async function call(server: string, tool: string, params: unknown, typed: boolean): Promise<any> {
  const signal = starting;
  const fail = (code: string, message: string, more?: any) => new ToolError(server, tool, code, message, more);
  if (!gateway) throw fail("unavailable", "TOOLSCRIPT_GATEWAY_URL is not set; run: toolscript gateway start");
  let status: number, answer: any;
  try {
    const response = await host.fetch(`${gateway.replace(/\/+$/, "")}/tools/${encodeURIComponent(tool)}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(params ?? {}),
      signal,
    });
    status = response.status;
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw fail("cancelled", "the task was cancelled");
    throw fail("unavailable", `the gateway does not answer: ${error instanceof Error ? error.message : error}`);
  }
  if (status !== 200) throw fail(answer?.kind ?? "internal", answer?.error ?? `the gateway answered ${status}`, answer);
  return unwrap(answer, typed, fail);
}

function unwrap(result: any, typed: boolean, fail: (code: string, message: string, more?: any) => ToolError): any {
  const content: any[] = result?.content ?? [];
  const texts = content.filter((block) => block.type === "text").map((block) => block.text);
  if (result?.isError) throw fail("tool_failed", texts.join("\n") || "the tool reported an error", { content });
  if (result?.structuredContent !== undefined) return result.structuredContent;
  if (content.length === 1 && texts.length === 1) {
    try {
      const value = JSON.parse(texts[0]);
      if (typed || (typeof value === "object" && value !== null)) return value;
    } catch {
      // Not JSON: for a tool without a result type, the text is the result.
    }
    if (!typed) return texts[0];
  }
  if (typed) throw fail("invalid_result", "the server promises structured content but sent none", { content });
  return content;
}
