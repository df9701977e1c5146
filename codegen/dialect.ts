/** What the script of an answer knows of its conversation. */
export interface ScriptContext {
  readonly conversationId: string;
  /** The folder that cwd() returns, too. */
  readonly workingDir: string;
  readonly scriptId: string;
  readonly telemetry: {
    /** Shows a text to the person of the conversation while the script runs. */
    emitProgress(text: string): void;
  };
}
/** Starts a tool by its name, in the background. */
export interface SpawnByName {
  /** The call continues after the script has ended; toolscript output RUN --task ID prints its result then. */
  exec<N extends string>(tool: N, ...args: N extends keyof FlatTools ? Parameters<FlatTools[N]> : [args?: object]):
    Task<N extends keyof FlatTools ? Awaited<ReturnType<FlatTools[N]>> : any>;
}
declare global {
  const context: ScriptContext;
}
