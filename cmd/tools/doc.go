// Package tools searches tools without a running gateway, in the lists that the servers sent
// last, and reads the lists of resources, prompts and skills. It also writes the files that an editor
// needs to complete the names of tools in scripts.
package tools
