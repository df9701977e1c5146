package shim

import _ "embed"

// libraryFolder is where the compiler looks for the declarations of the globals.
const libraryFolder = "/lib"

// The declarations of the globals are those of the engine: ES2024 and the additions of QuickJS-NG, without
// shared memory, eval and Function. The compiler's own files have more of them, comments, and all of a
// browser. release/generate writes ours. The files have names of libraries that the compiler knows.
const (
	libraryFile  = "lib.es5.d.ts"
	iteratorFile = "lib.es2025.iterator.d.ts" // a module, so it is not a part of the other one
)

var (
	//go:embed libraries.d.ts
	library string
	//go:embed iterators.d.ts
	iterators string
)
