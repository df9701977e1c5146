// Package runs reads from the audit what runs have done: their history, the differences between
// two runs, the calls of a run over time, and the cost of tools and their results in the
// context of models. It also runs recorded scripts again.
package runs
