// Package clients tests toolscript with released MCP clients: coding agents from npm, and libraries
// for Python and Node. A model with prepared answers takes the place of a language model. The tests
// have the build tag proof; run them with `task clients`.
package clients
