// Package footprint keeps a long-lived process small. Starting this program
// touches a large part of its file, 45 MB of code and tables that packages set
// themselves up from, and hardly any of it is needed again. The kernel keeps such
// pages mapped for as long as the process lives, and counts them as its memory.
package footprint
