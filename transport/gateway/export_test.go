package gateway

// What the tests of the package's outside need of its inside.
var (
	ParseObject = parseObject
	ParseExec   = parseExec
)
