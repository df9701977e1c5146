// engine: both
// expect: ^exit 0\nvalue "called"\n$
// A then-able is asked once, by the language, with functions of the script alone.
let seen = 0;
const value = await ({ then(resolve: any) { seen++; resolve(seen === 1 ? "called" : "again"); } } as any);
return value;
