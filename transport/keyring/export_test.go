package keyring

// Call is for tests of the time limit.
var Call = call
