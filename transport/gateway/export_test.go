package gateway

// Internals for the tests of package gateway_test.
var (
	ParseObject = parseObject
	ParseExec   = parseExec
)
