//go:build !nomodel

package minilm

import _ "embed"

//go:embed minilm.bin
var blob string
