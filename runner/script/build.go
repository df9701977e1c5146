package script

import (
	"encoding/json"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/sourcemap"
)

// output is what the compiler made of a script.
type output struct {
	javaScript string
	sourceMap  string
	imports    []moduleImport
	returns    bool // from the top level
}

// build compiles the script, wrapped when it returns from its top level. The
// source map speaks of the user's text either way.
func (u unit) build(s *scanner) (output, []toolscript.Diagnostic) {
	text, inserted := u.code, sourcemap.Insertion{}
	result := u.compile(text)
	returns := returnsFromTopLevel(result)
	if returns {
		var errs []toolscript.Diagnostic
		if text, inserted, errs = u.wrap(s); len(errs) > 0 {
			return output{}, errs
		}
		result = u.compile(text)
	}
	if errs := u.errors(result, inserted); len(errs) > 0 {
		return output{}, errs
	}
	out := output{returns: returns}
	for _, o := range readMetafile(result.Metafile).Outputs {
		out.imports = append(out.imports, o.Imports...)
	}
	for _, f := range result.OutputFiles {
		if !strings.HasSuffix(f.Path, ".map") {
			out.javaScript = string(f.Contents)
			continue
		}
		sourceMap, err := sourcemap.Rewrite(string(f.Contents), u.file, u.code, inserted)
		if err != nil {
			return output{}, []toolscript.Diagnostic{u.place(1, 1, CodeSyntax, err.Error())}
		}
		out.sourceMap = sourceMap
	}
	return out, nil
}

func (u unit) errors(result api.BuildResult, inserted sourcemap.Insertion) []toolscript.Diagnostic {
	messages := append(result.Errors, commonJS(result.Warnings)...)
	var errs []toolscript.Diagnostic
	for _, m := range messages[:min(len(messages), maxDiagnostics)] {
		errs = append(errs, u.fromCompiler(m, inserted))
	}
	return errs
}

// compile runs esbuild on one text. It bundles nothing: a bundle turns const and
// let of the top level into var, and then reading one before its declaration
// gives undefined instead of an error.
func (u unit) compile(text string) api.BuildResult {
	loader := api.LoaderTS
	if u.javaScript() {
		loader = api.LoaderJS
	}
	return api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: withoutMap(text), Sourcefile: "main.ts", Loader: loader},
		AbsWorkingDir: "/",
		Outfile:       "/out.js", // the name of the output; Write is false
		Metafile:      true,

		Format:   api.FormatESModule,
		Platform: api.PlatformNeutral,
		// ES2022 keeps top-level await and private fields; below it esbuild refuses the former.
		Target:  api.ES2022,
		Charset: api.CharsetUTF8,

		// A script runs for its effects: nothing in it is unused, and a comment
		// such as /* @__PURE__ */ may not drop a tool call.
		TreeShaking:       api.TreeShakingFalse,
		IgnoreAnnotations: true,
		LegalComments:     api.LegalCommentsNone,

		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude, // Rewrite puts the user's text in
		TsconfigRaw:    `{"compilerOptions":{"strict":true,"useDefineForClassFields":true}}`,
		LogLevel:       api.LogLevelSilent,
	})
}

// withoutMap is a text whose own source map the compiler does not read: it would
// move every place in traces to where the script wants it, and look for files.
// The compiler knows the last comment that names a map; this one names none.
func withoutMap(text string) string {
	const names = "sourceMappingURL="
	if !strings.Contains(text, names) {
		return text
	}
	return text + "\n//# " + names + "none:"
}

// metafile is what the compiler tells about one script.
type metafile struct {
	Inputs map[string]struct {
		Format string `json:"format"`
	} `json:"inputs"`
	Outputs map[string]struct {
		Imports []moduleImport `json:"imports"`
	} `json:"outputs"`
}

type moduleImport struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
}

func readMetafile(text string) (m metafile) {
	_ = json.Unmarshal([]byte(text), &m) // empty when the build failed
	return m
}

// returnsFromTopLevel recognises a top-level return. The compiler takes it for
// a sign of CommonJS and compiles silently, unless the file is a module for
// another reason. Other errors come first: text that does not parse is not
// wrapped, lest the wrapper's brackets complete it.
func returnsFromTopLevel(result api.BuildResult) bool {
	for _, m := range result.Errors {
		if m.Text != "Top-level return cannot be used inside an ECMAScript module" {
			return false
		}
	}
	for _, input := range readMetafile(result.Metafile).Inputs {
		if input.Format == "cjs" {
			return true
		}
	}
	return len(result.Errors) > 0
}

// commonJS are the warnings about module and exports, which no engine has.
func commonJS(warnings []api.Message) []api.Message {
	var found []api.Message
	for _, m := range warnings {
		if m.ID == "commonjs-variable-in-esm" {
			m.Text = "CommonJS is not supported: return the value, or export it as default"
			m.Notes = nil
			found = append(found, m)
		}
	}
	return found
}
