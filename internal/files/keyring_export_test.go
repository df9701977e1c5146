package files

// Call is call, for tests of its time limit.
var Call = call
