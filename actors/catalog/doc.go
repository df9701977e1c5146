// Package catalog has the facts that actors send each other, and the actor registry, which collects
// them. The registry owns the current catalog and the last known state of every server. It is the
// only writer of both and publishes them as a View, which readers load without a message.
//
// A fact is named in the past tense, is never changed after it was sent, and carries the whole new
// state: the receiver needs no history, and the next fact repairs a lost one. Facts go up to the
// parent of the actor, which passes them to the actors that need them:
//
//	server → ServerChanged, ToolsChanged → registry → Changed → typecache, search
//
// What operators see is not a fact: actors put it into the feed of the package live.
package catalog
