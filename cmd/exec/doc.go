// Package exec runs scripts for commands. It finds the script of a command line: code, a file,
// or standard input. It reads the arguments of a call from words such as key=value and
// key:=json, and servers from flags. Run passes standard input and the user's answers to the
// script, and passes the events of the run to an Output, which prints them.
package exec
