// Package clients drives released clients of MCP against toolscript: coding agents from npm,
// and libraries for Python and Node. A model with written answers takes the place of a
// language model. The tests have the build tag proof; run them with `task clients`.
package clients
