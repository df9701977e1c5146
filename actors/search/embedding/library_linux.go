package embedding

import (
	"fmt"
	"path/filepath"
)

// LibraryName is the file that the program loads.
const LibraryName = "libllama_go.so"

// leastLibrary is more than the size of a git-lfs pointer. The program would panic
// when it loads a pointer file.
const leastLibrary = 4 << 10

func checkLibrary(folder string) error {
	path := filepath.Join(folder, LibraryName)
	magic, size, err := head(path)
	if err != nil {
		return fmt.Errorf("%w; --search-library names the folder of %s", err, LibraryName)
	}
	if magic != "\x7fELF" || size <= leastLibrary {
		return fmt.Errorf("%s (%d bytes) is not a library; a file of about 130 bytes is a pointer of git-lfs: run git lfs pull", path, size)
	}
	return nil
}
