package cli

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/script/typecheck"
)

//go:embed editor/tsconfig.json
var editorConfig string

// made begins every file that --out writes, and tells those of others apart.
const made = "// Made by toolscript get-types --out, which writes it anew.\n"

// writeOut writes the folder that an editor checks the scripts of: the
// declarations of "toolscript", the globals and a tsconfig.json. Files that
// somebody else made are not touched.
func (o *getTypesOptions) writeOut(declarations string) error {
	files := []struct{ name, text string }{
		{"toolscript.d.ts", made + declarations},
		{"toolscript-globals.d.ts", made + typecheck.Globals},
		{"tsconfig.json", editorConfig},
	}
	dir := o.absolute(o.out)
	for _, f := range files {
		if err := ours(filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // G301: a folder of source text, as everybody's
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.text), 0o644); err != nil { //nolint:gosec // G306: as above
			return err
		}
	}
	return o.print("wrote toolscript.d.ts, toolscript-globals.d.ts and tsconfig.json to %s", o.out)
}

// ours wants a file to be missing or one that --out wrote.
func ours(path string) error {
	text, err := os.ReadFile(path) //nolint:gosec // G304: in the folder that the user names
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !strings.HasPrefix(string(text), made):
		return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s is not of this command and is left as it is; name another folder", path)}
	}
	return nil
}
