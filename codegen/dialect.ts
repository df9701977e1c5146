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
declare global {
  const context: ScriptContext;
}
