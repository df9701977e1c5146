//go:build !unix

package deno

import "io/fs"

func ownedByUs(fs.FileInfo) bool { return true }
