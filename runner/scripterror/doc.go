// Package scripterror describes errors of a run with positions in the user's text. All
// engines use it, so their errors are the same. A Map is a source map: it maps positions in the
// JavaScript that an engine runs to the text that the user wrote. Global and MissingModule suggest
// alternatives to names and modules of other JavaScript environments: scripts have no network, no
// files and no modules, and tools provide these.
package scripterror
