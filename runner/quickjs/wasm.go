package quickjs

import _ "embed"

// The engine is quickjs.wasm of npm quickjs-wasi 3.6.2 with added fuel: see release/generate,
// which generates it, and its folder fuel.
//
//go:generate go run ../../release/generate engine -o quickjs.wasm
//go:embed quickjs.wasm
var engineWasm []byte

// Name is the name of the engine and of its runtime.
const Name = "QuickJS-NG 0.17.0 (npm quickjs-wasi 3.6.2) on wazero 1.12.0"

// Offsets in the engine's structures that no function returns. They are only valid for this
// version of quickjs.wasm, whose hash a test pins; other tests check their effects.
const (
	clockOrigin = 272 // from the context: float64, milliseconds since 1970
	randomState = 280 // from the context: uint64, state of Math.random, not 0
	heapSize    = 24  // from the runtime: uint32, bytes of the JavaScript heap
	atomTable   = 568 // from the runtime: address of the strings of property names
)
