// engine: deno
// expect: ^exit 0\nvalue \[true,true\]\n$
// Deno's own events, made by the script.
const dispatch = (globalThis as any).dispatchEvent;
const event = new Event("unhandledrejection");
(event as any).reason = "forged";
return [dispatch(event), dispatch({ type: "unhandledrejection", reason: 1 })]
