package script

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// asModule is appended to a text to make it an ES module. Without it, the compiler may assume CommonJS.
const asModule = "\nexport {}"

// build compiles the script. It wraps a script that returns from its top level, and imports
// the exports of "toolscript" that the script uses without an import. The source map refers
// to the user's text.
func (u unit) build(s shim.Syntax) (runner.Compiled, []toolscript.Diagnostic) {
	if s.Broken { // before anything is inserted: the wrapper's brackets could complete the text
		if errs := u.errors(u.compile(u.code), scripterror.Insertion{}); len(errs) > 0 {
			return runner.Compiled{}, errs
		}
	}
	text, inserted := u.code+asModule, scripterror.Insertion{}
	if s.Returns && !u.module {
		var errs []toolscript.Diagnostic
		if text, inserted, errs = u.wrap(s, importOf(s.Free)); len(errs) > 0 {
			return runner.Compiled{}, errs
		}
	} else if f := u.called(s); f != nil && !f.Exported && !f.Declared {
		text, inserted = u.insert(f.Offset, importOf(s.Free)+";export default ")
	} else {
		if len(s.Free) > 0 {
			text, inserted = u.insert(s.ImportsEnd, importOf(s.Free))
			text += asModule
		}
		if f != nil && f.Declared {
			text += "\n;export default " + f.Name
		}
	}
	result := u.compile(text)
	if errs := u.errors(result, inserted); len(errs) > 0 {
		return runner.Compiled{}, errs
	}
	out := runner.Compiled{Uses: runner.Uses(s.Uses), Returns: s.Returns, Tools: s.Tools, Calls: u.called(s) != nil}
	u.advise(s, &out)
	for _, f := range result.OutputFiles {
		if !strings.HasSuffix(f.Path, ".map") {
			out.JavaScript = string(f.Contents)
			continue
		}
		sourceMap, err := scripterror.Rewrite(string(f.Contents), u.file, u.code, inserted)
		if err != nil {
			return runner.Compiled{}, []toolscript.Diagnostic{u.place(1, 1, CodeSyntax, err.Error())}
		}
		out.SourceMap = sourceMap
	}
	return out, nil
}

func (u unit) errors(result api.BuildResult, inserted scripterror.Insertion) []toolscript.Diagnostic {
	messages := append(result.Errors, commonJS(result.Warnings)...)
	var errs []toolscript.Diagnostic
	for _, m := range messages[:min(len(messages), maxDiagnostics)] {
		errs = append(errs, u.fromCompiler(m, inserted))
	}
	return errs
}

// compile runs esbuild on one text. It does not bundle: a bundle turns const and let of the
// top level into var, so that reading a variable before its declaration gives undefined
// instead of an error.
func (u unit) compile(text string) api.BuildResult {
	loader := api.LoaderTS
	if u.javaScript() {
		loader = api.LoaderJS
	}
	return api.Build(api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: withoutMap(text), Sourcefile: "main.ts", Loader: loader},
		AbsWorkingDir: folder,
		Outfile:       folder + "out.js", // the name of the output; Write is false

		Format:   api.FormatESModule,
		Platform: api.PlatformNeutral,
		// ES2022 keeps top-level await and private fields; older targets refuse top-level await.
		Target:  api.ES2022,
		Charset: api.CharsetUTF8,
		// QuickJS does not wait for the finally block of an async generator if the body of
		// for await throws. The loop that the compiler generates does.
		Supported: map[string]bool{"for-await": false},

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

// withoutMap makes the compiler ignore a source map of the script itself, which would change
// all positions in traces and name files to read. The compiler reads only the last comment
// that names a map; the added comment names none.
func withoutMap(text string) string {
	const names = "sourceMappingURL="
	if !strings.Contains(text, names) {
		return text
	}
	return text + "\n//# " + names + "none:"
}

// returnInModule is esbuild's message about a top-level return in a module.
const returnInModule = "Top-level return cannot be used inside an ECMAScript module"

// commonJS returns the warnings about the variables module and exports, which no engine has.
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
