/** Resources and prompts of servers. No server has a name that begins with $. */
export interface Tools {
  readonly $resources: {
    /** One page of the resources of a server, or of all servers. */
    list(params?: { server?: string; cursor?: string }): Promise<{
      resources: { server: string; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; [more: string]: any }[];
      /** The cursor of the next page; absent on the last page. */
      nextCursor?: string;
      /** Servers that did not answer. */
      missing?: { server: string; kind: string; error: string }[];
    }>;
    /** One page of the templates of resource URIs. */
    templates(params?: { server?: string; cursor?: string }): Promise<{
      resourceTemplates: { server: string; uriTemplate: string; name: string; title?: string; description?: string; mimeType?: string; [more: string]: any }[];
      nextCursor?: string;
      missing?: { server: string; kind: string; error: string }[];
    }>;
    /** The contents of a resource: text, or a blob in base64. */
    read(params: { server: string; uri: string }): Promise<{
      contents: { uri: string; mimeType?: string; text?: string; blob?: string; [more: string]: any }[];
      [more: string]: any;
    }>;
  };
  readonly $prompts: {
    /** One page of the prompts of a server, or of all servers. */
    list(params?: { server?: string; cursor?: string }): Promise<{
      prompts: { server: string; name: string; title?: string; description?: string; arguments?: { name: string; description?: string; required?: boolean; [more: string]: any }[]; [more: string]: any }[];
      nextCursor?: string;
      missing?: { server: string; kind: string; error: string }[];
    }>;
    /** A prompt with its arguments filled in. */
    get(params: { server: string; name: string; arguments?: Record<string, string> }): Promise<{
      description?: string;
      messages: { role: "user" | "assistant"; content: any; [more: string]: any }[];
      [more: string]: any;
    }>;
  };
}
