//go:build !linux

package embedding

import (
	"fmt"
	"runtime"
)

// LibraryName is the file that the program loads where it is supported.
const LibraryName = "libllama_go"

func checkLibrary(string) error {
	return fmt.Errorf("GGUF models run on Linux only, and this is %s; the embedded model and a remote endpoint work here", runtime.GOOS)
}
