// engine: both
// expect: ^exit 1\nerror threw executing Error: 
// An object without anything is thrown.
throw Object.create(null)
