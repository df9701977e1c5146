/** What servers offer beside tools. A name that begins with $ is never a server's. */
export interface Tools {
  readonly $resources: {
    /** One page of the resources of a server, or of all servers. */
    list(params?: { server?: string; cursor?: string }): Promise<{
      resources: { server: string; uri: string; name: string; title?: string; description?: string; mimeType?: string; size?: number; [more: string]: any }[];
      /** Of the next page; absent on the last one. */
      nextCursor?: string;
      /** Servers that could not be asked. */
      missing?: { server: string; kind: string; error: string }[];
    }>;
    /** One page of the templates that resources' URIs are made from. */
    templates(params?: { server?: string; cursor?: string }): Promise<{
      resourceTemplates: { server: string; uriTemplate: string; name: string; title?: string; description?: string; mimeType?: string; [more: string]: any }[];
      nextCursor?: string;
      missing?: { server: string; kind: string; error: string }[];
    }>;
    /** What a resource holds: text, or a blob in base64. */
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
    /** A prompt, filled in. */
    get(params: { server: string; name: string; arguments?: Record<string, string> }): Promise<{
      description?: string;
      messages: { role: "user" | "assistant"; content: any; [more: string]: any }[];
      [more: string]: any;
    }>;
  };
}
