// Package naming chooses the names of servers and tools in scripts. It also decides which
// names are visible under an allow list, and suggests names in place of a wrong one.
package naming
