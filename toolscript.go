// Package toolscript has the central types of the program: tools and their catalog,
// servers and their states, errors and their kinds, script runs and their events. It
// does no input or output and imports no other package of this module, so every other
// package may use it. ARCHITECTURE.md shows how the packages fit together.
//
// This package and harness are for other programs. All other packages may change at any time.
package toolscript

// Version is the version of the program, as `toolscript version` prints it.
const Version = "0.1.0"

// Protocol is the version of the HTTP API between gateway and command line. A command
// line of another version reports that and does not use the gateway.
const Protocol = 1
