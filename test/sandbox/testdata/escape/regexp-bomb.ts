// engine: both
// expect: error limit_time
// An expression that takes for ever.
return /^(\w+\s?)*$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!")
