// Package toolscript has the types of the program: tools and the catalog
// they form, servers and their states, errors and their kinds, script runs and
// their events. It does no input or output and imports nothing of this module,
// so every other package may use it.
package toolscript

// Version is the version of the program, as `toolscript version` prints it.
const Version = "0.1.0"

// Protocol numbers the HTTP contract between gateway and command line. A
// command line that meets another number says so and does not use that gateway.
const Protocol = 1
