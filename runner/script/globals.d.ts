// The globals of scripts in addition to the language, on both engines.

interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  debug(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  dir(value?: any, options?: { depth?: number | null }): void;
  dirxml(...data: any[]): void;
  table(data?: any, columns?: readonly string[]): void;
  assert(condition?: any, ...data: any[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  clear(): void;
}
declare var console: Console;

declare function setTimeout(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setInterval(callback: (...args: any[]) => void, ms?: number, ...args: any[]): number;
declare function setImmediate(callback: (...args: any[]) => void, ...args: any[]): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function clearImmediate(id?: number): void;
declare function queueMicrotask(callback: () => void): void;

declare function structuredClone<T>(value: T, options?: { transfer?: readonly ArrayBuffer[] }): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

declare var crypto: {
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
  getRandomValues<
    T extends
      | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
      | BigInt64Array | BigUint64Array,
  >(array: T): T;
  readonly subtle: SubtleCrypto;
};

/** The bytes of a buffer, or of a view of one. */
type BufferSource = ArrayBuffer | ArrayBufferView;
type HashName = "SHA-1" | "SHA-256" | "SHA-384" | "SHA-512";
type HashAlgorithm = HashName | Lowercase<HashName> | { name: HashName | Lowercase<HashName> };
type HMACAlgorithm = "HMAC" | "hmac" | { name: "HMAC" | "hmac" };
/** A key of HMAC. */
declare class CryptoKey {
  private constructor();
  readonly type: "secret";
  readonly extractable: boolean;
  readonly algorithm: { readonly name: "HMAC"; readonly length: number; readonly hash: { readonly name: HashName } };
  readonly usages: readonly ("sign" | "verify")[];
}
/** Digests and HMAC. There are no other algorithms. */
interface SubtleCrypto {
  digest(algorithm: HashAlgorithm, data: BufferSource): Promise<ArrayBuffer>;
  importKey(
    format: "raw",
    key: BufferSource,
    algorithm: { name: "HMAC" | "hmac"; hash: HashAlgorithm; length?: number },
    extractable: boolean,
    usages: readonly ("sign" | "verify")[],
  ): Promise<CryptoKey>;
  sign(algorithm: HMACAlgorithm, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  verify(algorithm: HMACAlgorithm, key: CryptoKey, signature: BufferSource, data: BufferSource): Promise<boolean>;
}

declare var performance: {
  now(): number;
  readonly timeOrigin: number;
  toJSON(): { timeOrigin: number };
};

interface EventInit {
  cancelable?: boolean;
}
declare class Event {
  constructor(type: string, init?: EventInit);
  readonly type: string;
  readonly target: any;
  readonly currentTarget: any;
  readonly cancelable: boolean;
  readonly defaultPrevented: boolean;
  readonly timeStamp: number;
  preventDefault(): void;
  stopImmediatePropagation(): void;
  stopPropagation(): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, init?: EventInit & { detail?: T });
  readonly detail: T;
}
type EventListenerOrObject = ((event: any) => void) | { handleEvent(event: any): void };
declare class EventTarget {
  addEventListener(
    type: string,
    callback: EventListenerOrObject | null,
    options?: boolean | { once?: boolean; signal?: AbortSignal },
  ): void;
  removeEventListener(type: string, callback: EventListenerOrObject | null): void;
  dispatchEvent(event: Event): boolean;
}

declare class AbortSignal extends EventTarget {
  private constructor();
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: Event) => void) | null;
  throwIfAborted(): void;
  static abort(reason?: any): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}

declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}

/** The error of the engine when the script exceeds one of its limits. */
declare class InternalError extends Error {}

declare class TextEncoder {
  readonly encoding: "utf-8";
  encode(text?: string): Uint8Array<ArrayBuffer>;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  /** The label is one of utf-8, latin1 and utf-16, or another name of these encodings. */
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: "utf-8" | "windows-1252" | "utf-16le" | "utf-16be";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: BufferSource, options?: { stream?: boolean }): string;
}

type BlobPart = BufferSource | Blob | string;
declare class Blob {
  constructor(parts?: Iterable<BlobPart> & object, options?: { type?: string });
  readonly size: number;
  readonly type: string;
  text(): Promise<string>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  arrayBuffer(): Promise<ArrayBuffer>;
  slice(start?: number, end?: number, type?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
}

interface QueuingStrategy {
  highWaterMark?: number;
}
interface ReadableStreamDefaultController<R = any> {
  readonly desiredSize: number | null;
  enqueue(chunk: R): void;
  close(): void;
  error(reason?: any): void;
}
interface UnderlyingSource<R = any> {
  start?(controller: ReadableStreamDefaultController<R>): any;
  pull?(controller: ReadableStreamDefaultController<R>): any;
  cancel?(reason?: any): any;
}
interface StreamPipeOptions {
  preventClose?: boolean;
  preventAbort?: boolean;
  preventCancel?: boolean;
  signal?: AbortSignal;
}
type ReadableStreamReadResult<R> = { done: false; value: R } | { done: true; value: undefined };
declare class ReadableStream<R = any> {
  constructor(source?: UnderlyingSource<R>, strategy?: QueuingStrategy);
  static from<R>(source: Iterable<R> | AsyncIterable<R>): ReadableStream<R>;
  readonly locked: boolean;
  getReader(): ReadableStreamDefaultReader<R>;
  cancel(reason?: any): Promise<void>;
  pipeTo(target: WritableStream<R>, options?: StreamPipeOptions): Promise<void>;
  pipeThrough<T>(
    transform: { readonly readable: ReadableStream<T>; readonly writable: WritableStream<R> },
    options?: StreamPipeOptions,
  ): ReadableStream<T>;
  values(options?: { preventCancel?: boolean }): AsyncGenerator<R, void, void>;
  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncGenerator<R, void, void>;
}
declare class ReadableStreamDefaultReader<R = any> {
  constructor(stream: ReadableStream<R>);
  readonly closed: Promise<void>;
  read(): Promise<ReadableStreamReadResult<R>>;
  cancel(reason?: any): Promise<void>;
  releaseLock(): void;
}
interface WritableStreamDefaultController {
  error(reason?: any): void;
}
interface UnderlyingSink<W = any> {
  start?(controller: WritableStreamDefaultController): any;
  write?(chunk: W, controller: WritableStreamDefaultController): any;
  close?(): any;
  abort?(reason?: any): any;
}
declare class WritableStream<W = any> {
  constructor(sink?: UnderlyingSink<W>, strategy?: QueuingStrategy);
  readonly locked: boolean;
  getWriter(): WritableStreamDefaultWriter<W>;
  close(): Promise<void>;
  abort(reason?: any): Promise<void>;
}
declare class WritableStreamDefaultWriter<W = any> {
  constructor(stream: WritableStream<W>);
  readonly closed: Promise<void>;
  readonly ready: Promise<void>;
  readonly desiredSize: number | null;
  write(chunk: W): Promise<void>;
  close(): Promise<void>;
  abort(reason?: any): Promise<void>;
  releaseLock(): void;
}

type CompressionFormat = "gzip" | "deflate" | "deflate-raw";
declare class CompressionStream {
  constructor(format: CompressionFormat);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}
declare class DecompressionStream {
  constructor(format: CompressionFormat);
  readonly readable: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly writable: WritableStream<BufferSource>;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}
declare class URLSearchParams {
  constructor(init?: string | URLSearchParams | Record<string, string> | Iterable<readonly [string, string]>);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  forEach(callback: (value: string, name: string, parent: URLSearchParams) => void, self?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}

/** The members of Deno in scripts. */
interface ScriptDeno {
  cwd(): string;
  exit(code?: number): never;
  readonly args: readonly string[];
  readonly env: { get(name: string): string | undefined; has(name: string): boolean; toObject(): Record<string, string> };
}
declare const Deno: ScriptDeno;

// The exports of the module "toolscript", which need no import.

declare const tools: import("toolscript").Tools;
/** Values that outlive the run. */
declare const store: import("toolscript").Store;
/** Standard input of the script, read on demand. */
declare const stdin: import("toolscript").Stdin;
/** Arguments of the script. */
declare const args: readonly string[];
/** The working directory of the script. */
declare function cwd(): string;
declare const env: import("toolscript").Env;
/** Ends the script at once. */
declare function exit(code?: number): never;
/** A tool call that failed. */
declare const ToolError: typeof import("toolscript").ToolError;
type ToolError = import("toolscript").ToolError;
