package script_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
	"github.com/microsoft/typescript-go/shim"
)

// written matches what the two compilers write in different ways.
var written = regexp.MustCompile(`\b(enum|namespace|accessor|using|for await)\b|constructor\(.*\b(public|private|readonly)\b`)

var imported = regexp.MustCompile(`(?m)^import .*$`)

// TestSameAsESBuild compiles scripts of this repository with another compiler too, and compares the
// results after that compiler has written both in one way.
func TestSameAsESBuild(t *testing.T) {
	compared := 0
	for _, folder := range []string{"../../examples", "../../test/sandbox/testdata"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".ts" || strings.HasSuffix(path, ".d.ts") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || written.Match(text) {
				return err
			}
			imports := strings.Join(imported.FindAllString(string(text), -1), "\n")
			code := imports + "\nexport default async () => {" + imported.ReplaceAllString(string(text), "") + "\n}"
			emitted, found := shim.Emit(code, false)
			if len(found) > 0 { // such as exports
				return nil
			}
			want, got := normal(api.Transform(code, compiler(api.LoaderTS))), normal(api.Transform(emitted.JavaScript, compiler(api.LoaderJS)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-esbuild +emitted):\n%s", path, diff)
			}
			compared++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if compared < 100 {
		t.Errorf("%d files were compared", compared)
	}
}

func compiler(of api.Loader) api.TransformOptions {
	return api.TransformOptions{
		Loader: of, Target: api.ES2022, Format: api.FormatESModule, TreeShaking: api.TreeShakingFalse, IgnoreAnnotations: true,
		TsconfigRaw: `{"compilerOptions":{"strict":true,"useDefineForClassFields":true}}`,
	}
}

// normal writes a result in the shortest form, so that only its meaning is compared.
func normal(result api.TransformResult) string {
	again := api.Transform(string(result.Code), api.TransformOptions{MinifySyntax: true, MinifyWhitespace: true, TreeShaking: api.TreeShakingFalse, IgnoreAnnotations: true})
	return strings.ReplaceAll(string(again.Code), "export{};", "")
}
