// Package clients reads the MCP servers that other MCP clients have configured, and registers
// toolscript in the files of those clients. It edits a file by inserting text: comments, the
// order of keys and unknown keys stay. Nothing is written before the caller has shown the
// change. A Changer shows a change, asks, and writes it with a backup.
package clients
