// Package tether starts programs that are not ours behind a wall and tied to our
// life: one that hostile text has made busy must end when it is told to, and when
// nobody is left to tell it.
package tether
