/** A tool whose result may have several pages. */
export type Paged<F extends (...args: any) => Promise<any>> = F & {
  /** Iterates over the results of all pages. Each page is a call of the tool. */
  pages(...args: Parameters<F>): AsyncGenerator<Awaited<ReturnType<F>>, void>;
};
