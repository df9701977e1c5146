// Package hook reads and answers the hooks of Claude Code: JSON on standard input, JSON on
// standard output. It decides which shell commands of an agent run without a question to the
// person, and finds the tools that a person's prompt needs. It suggests no tool unless it is
// sure.
package hook
