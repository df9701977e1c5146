// Package parentdeath starts confined child processes that end when this process
// ends, however it ends. Hostile input may keep such a process busy for ever.
package parentdeath
