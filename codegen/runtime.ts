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

type Listed<K extends string, T> = { [k in K]: ({ server: string; title?: string; description?: string; [more: string]: any } & T)[] } & {
  nextCursor?: string;
  missing?: { server: string; kind: string; error: string }[];
};

function ask(id: string, path: string, query: Record<string, any> = {}): Promise<any> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return request(query.server ?? "", id, path + "?" + given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&"));
}

const finding: Finding = {
  async $search(query, options) {
    const { results, nearest = [] } = await ask("$search", "/search", { ...options, q: query });
    return Object.assign(results, { nearest });
  },
  $describe: (tool) => request("", "$describe", `/tools/${encodeURIComponent(tool)}`),
};

/** What servers offer beside tools. */
const offered = {
  $resources: {
    /** One page of the resources of a server, or of all servers. */
    list: (params: { server?: string; cursor?: string } = {}): Promise<Listed<"resources", { uri: string; name: string; mimeType?: string; size?: number }>> =>
      ask("$resources__list", "/resources", params),
    /** One page of the templates that resources' URIs are made from. */
    templates: (params: { server?: string; cursor?: string } = {}): Promise<Listed<"resourceTemplates", { uriTemplate: string; name: string; mimeType?: string }>> =>
      ask("$resources__templates", "/resources/templates", params),
    /** What a resource holds: text, or a blob in base64. */
    read: (params: { server: string; uri: string }): Promise<{ contents: { uri: string; mimeType?: string; text?: string; blob?: string; [more: string]: any }[] }> =>
      ask("$resources__read", "/resources/read", params),
  },
  $prompts: {
    /** One page of the prompts of a server, or of all servers. */
    list: (params: { server?: string; cursor?: string } = {}): Promise<Listed<"prompts", { name: string; arguments?: { name: string; description?: string; required?: boolean }[] }>> =>
      ask("$prompts__list", "/prompts", params),
    /** A prompt, filled in. */
    get: (params: { server: string; name: string; arguments?: Record<string, string> }): Promise<{ description?: string; messages: { role: "user" | "assistant"; content: any }[] }> =>
      request(params.server, "$prompts__get", `/prompts/${encodeURIComponent(params.server)}/${encodeURIComponent(params.name)}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(params.arguments ?? {}),
      }),
  },
};

let starting: any; // the signal of the task that is being started

function withOwn<T extends object>(servers: T): T & Finding & typeof offered & { readonly spawn: Spawned<T> } {
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
  for (const [name, value] of Object.entries({ spawn, ...finding, ...offered })) Object.defineProperty(servers, name, { value });
  return servers as any;
}

async function call(server: string, tool: string, params: unknown, typed: boolean): Promise<any> {
  const answer = await request(server, tool, `/tools/${encodeURIComponent(tool)}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(params ?? {}),
    signal: starting,
  });
  return unwrap(answer, typed, failure(server, tool));
}

const failure = (server: string, tool: string) => (code: string, message: string, more?: any) =>
  new ToolError(server, tool, code, message, more);

async function request(server: string, tool: string, path: string, init: any = {}): Promise<any> {
  const fail = failure(server, tool);
  if (!gateway) throw fail("unavailable", "TOOLSCRIPT_GATEWAY_URL is not set; run: toolscript gateway start");
  let status: number, answer: any;
  try {
    const response = await host.fetch(gateway.replace(/\/+$/, "") + path, init);
    status = response.status;
    answer = await response.json();
  } catch (error) {
    if (init.signal?.aborted) throw fail("cancelled", "the task was cancelled");
    throw fail("unavailable", `the gateway does not answer: ${error instanceof Error ? error.message : error}`);
  }
  if (status !== 200) throw fail(answer?.kind ?? "internal", answer?.error ?? `the gateway answered ${status}`, answer);
  return answer;
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
