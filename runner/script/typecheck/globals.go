package typecheck

import _ "embed"

// Globals declare what scripts have without an import, for the checker here and
// for editors.
//
//go:embed globals.d.ts
var Globals string
