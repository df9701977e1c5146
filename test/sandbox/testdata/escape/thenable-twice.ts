// engine: both
// expect: ^exit 0\nvalue 1\n$
// A value that says two things.
export default { then(resolve: any) { resolve(1); resolve(2); throw new Error("3") } }
