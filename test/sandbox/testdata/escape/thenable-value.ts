// engine: both
// expect: never settled
// A value that is never there.
export default { then() {} }
