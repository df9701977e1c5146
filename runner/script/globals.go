package script

import _ "embed"

// Globals declares the global names of scripts, for the checker and for editors.
//
//go:embed globals.d.ts
var Globals string
