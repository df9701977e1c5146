package files

// Call exports call for tests of its time limit.
var Call = call
