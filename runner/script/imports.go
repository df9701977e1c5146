package script

import (
	"fmt"

	"github.com/microsoft/typescript-go/shim"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner/scripterror"
)

// module is the name of the only module without a file.
const module = "toolscript"

// imports follows imports of files and refuses imports of other modules. It also refuses
// reference comments: the compiler erases them and imports of types, but the type checker
// would read the files that they name.
func (g *graph) imports(u unit, s shim.Syntax) []toolscript.Diagnostic {
	var found []toolscript.Diagnostic
	for _, offset := range s.References[:min(len(s.References), maxDiagnostics)] {
		found = append(found, u.at(offset, codeImport, "reference comments are not allowed: import the file"))
	}
	for _, i := range s.Imports {
		switch {
		case len(found) >= maxDiagnostics:
			return found
		case i.Require:
			found = append(found, u.at(i.Offset, codeImport, refuseRequire(i.Module)))
		case local(i.Module):
			if problem := g.follow(u, i); problem != "" {
				found = append(found, u.at(i.Offset, codeImport, fmt.Sprintf("cannot import %q: %s", i.Module, problem)))
			}
		case i.Module != module:
			found = append(found, u.at(i.Offset, codeImport, refuseImport(i.Module)))
		}
	}
	return found
}

// banned reports syntax that a script in a model's answer must not have. The engine has neither
// eval nor require, but a diagnostic with a position is clearer than a ReferenceError.
func (u unit) banned(s shim.Syntax) []toolscript.Diagnostic {
	var found []toolscript.Diagnostic
	for _, offset := range s.References[:min(len(s.References), maxDiagnostics)] {
		found = append(found, u.at(offset, codeBanned, "reference comments are not allowed: a script is one file"))
	}
	for _, b := range s.Banned[:min(len(s.Banned), maxDiagnostics)] {
		found = append(found, u.at(b.Offset, codeBanned, b.Name+" is not allowed; the language and tools need no import"))
	}
	return found
}

func refuseImport(name string) string {
	return fmt.Sprintf("import of %q is not allowed: only %q and files such as \"./lib.ts\" can be imported%s", name, module, instead(name))
}

func refuseRequire(name string) string {
	if name == module {
		return fmt.Sprintf("require(%q) is not needed: tools, stdin, args and env need no import", name)
	}
	if local(name) {
		return fmt.Sprintf("require(%q) is not allowed: write import … from %[1]q", name)
	}
	return fmt.Sprintf("require(%q) is not allowed: only %q and files such as \"./lib.ts\" can be imported%s", name, module, instead(name))
}

// instead returns advice on what a script can use instead of a module.
func instead(name string) string {
	need, ok := scripterror.MissingModule(name)
	switch {
	case !ok:
		return "; the language and tools need no import"
	case need.Query == "":
		return "; " + need.Advice
	}
	return fmt.Sprintf("; %s: %s", need.Advice, toolscript.Command("search", need.Query))
}
