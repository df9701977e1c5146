/** Which values: of the client's session (the default), of the project, or of the user. */
export interface StoreOptions {
  scope?: "session" | "project" | "user";
}
/** How long a value is kept, such as "90s", "10m" or "24h"; without ttl, for ever. */
export interface KeepOptions extends StoreOptions {
  ttl?: string;
}
/** Values that later runs can read: JSON up to 1 MB each, up to 64 MB in a scope. */
export interface Store {
  get<T = any>(key: string, options?: StoreOptions): Promise<T | undefined>;
  set(key: string, value: unknown, options?: KeepOptions): Promise<void>;
  /** Returns whether there was a value. */
  delete(key: string, options?: StoreOptions): Promise<boolean>;
  /** The keys that begin with prefix, sorted. Times are milliseconds since 1970. */
  list(prefix?: string, options?: StoreOptions): Promise<{ key: string; bytes: number; updatedAt: number; expiresAt?: number }[]>;
  /** Changes a value as one step. change is called again if another run was faster; undefined removes the value. */
  update<T = any>(key: string, change: (before: T | undefined) => T | undefined | Promise<T | undefined>, options?: KeepOptions): Promise<T | undefined>;
  /** The value of the last run with exec --name NAME. */
  run<T = any>(name: string, options?: StoreOptions): Promise<T | undefined>;
}
/** Values that outlive the run. */
export declare const store: Store;
