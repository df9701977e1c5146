// engine: both
// expect: ^exit 0\nvalue \[false,false\]\n$
// A trace by captureStackTrace.
const o: any = {};
(Error as any).captureStackTrace?.(o);
const stack = String(o.stack ?? "");
return [/loader|ext:|toolscript:/.test(stack), /file:|\/tmp/.test(stack)]
