// engine: both
// expect: ^exit 1\nerror [^\n]*mine
// A getter of the value that throws is the script's own error.
return { get a() { throw new Error("mine") } };
