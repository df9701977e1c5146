package script

import (
	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// asModule is appended to a text to make it an ES module. Without it, the compiler may assume CommonJS.
const asModule = "\nexport {}"

// build compiles the script. It wraps a script that returns from its top level, and imports
// the exports of "toolscript" that the script uses without an import. The source map refers
// to the user's text.
func (u unit) build(s shim.Syntax) (runner.Compiled, []toolscript.Diagnostic) {
	if s.Broken { // before text is inserted: the brackets of the wrapper could complete a broken text
		if _, errs := shim.Emit(u.code, u.javaScript()); len(errs) > 0 {
			return runner.Compiled{}, u.errors(errs, scripterror.Insertion{})
		}
	}
	if errs := u.refuseSyntax(s); len(errs) > 0 {
		return runner.Compiled{}, errs
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
	emitted, errs := shim.Emit(text, u.javaScript())
	if len(errs) > 0 {
		return runner.Compiled{}, u.errors(errs, inserted)
	}
	sourceMap, err := scripterror.Rewrite(emitted.SourceMap, u.file, u.code, inserted)
	if err != nil {
		return runner.Compiled{}, []toolscript.Diagnostic{u.place(1, 1, codeSyntax, err.Error())}
	}
	out := runner.Compiled{JavaScript: emitted.JavaScript, SourceMap: sourceMap, Uses: runner.Uses(s.Uses), Returns: s.Returns, Tools: s.Tools, Calls: u.called(s) != nil}
	u.advise(s, &out)
	return out, nil
}

// refuseSyntax returns diagnostics about code that parses and that no engine runs as the author means it.
func (u unit) refuseSyntax(s shim.Syntax) []toolscript.Diagnostic {
	var errs []toolscript.Diagnostic
	for _, offset := range s.CommonJS[:min(len(s.CommonJS), maxDiagnostics)] {
		errs = append(errs, u.at(offset, codeSyntax, "CommonJS is not supported: return the value, or export it as default"))
	}
	for _, offset := range s.Deferred[:min(len(s.Deferred), maxDiagnostics)] {
		errs = append(errs, u.at(offset, codeSyntax, "the engines do not defer imports: import the module without defer"))
	}
	for _, offset := range s.Decorated[:min(len(s.Decorated), maxDiagnostics)] {
		errs = append(errs, u.at(offset, codeSyntax, "a class with decorators cannot contain await outside of its methods: store the value in a constant before the class"))
	}
	switch {
	case s.Returns && u.module:
		errs = append(errs, u.at(s.ReturnAt, codeSyntax, "only the script itself returns from its top level: export the value"))
	case s.Returns && s.ReturnAt < s.HeadEnd: // it is before the last namespace, and so outside of the wrapper
		errs = append(errs, u.at(s.ReturnAt, codeSyntax, "a top-level return comes after the last namespace: move the namespaces to the start of the script"))
	}
	return errs
}

// errors returns the diagnostics of the compiler with their positions in the user's text.
func (u unit) errors(found []shim.Diagnostic, inserted scripterror.Insertion) []toolscript.Diagnostic {
	var errs []toolscript.Diagnostic
	for _, d := range found[:min(len(found), maxDiagnostics)] {
		line, column := u.original(d.Line, d.Column, inserted)
		errs = append(errs, u.place(line, column, d.Code, texts.Short(d.Message, maxMessage)))
	}
	return errs
}
