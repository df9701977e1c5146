package shim

import (
	"context"
	"encoding/json"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// Signature describes the function that a module exports as default.
type Signature struct {
	Function bool            // the default export is a function; if not, the other fields are empty
	Params   json.RawMessage // JSON Schema of the argument, which is always an object
	Result   json.RawMessage // JSON Schema of the result; nil if unknown
	Doc      string          // text of the comment /** … */ before the function
	Found    []Diagnostic    // parts of the types that a schema cannot express, in the order of the text
}

// Codes of the diagnostics of Signature.
const (
	codeParameter = "parameter" // no call can pass the parameters; the script cannot be saved
	codeType      = "type"      // a type becomes unknown
)

// Fatal reports whether a diagnostic of Signature is about parameters that no call can pass.
func (d Diagnostic) Fatal() bool { return d.Code == codeParameter }

// Signature describes the default export of a script. Its cost, ctx, key and known are as in
// Check.
func (c *Checker) Signature(ctx context.Context, script Script, key string) (s Signature, known bool) {
	m := c.modules.get(key)
	if m == nil {
		return s, false
	}
	defer c.enter(script, m)()
	program := c.program(true)
	file := program.GetSourceFile(mainFile)
	types, done := program.GetTypeCheckerForFile(ctx, file)
	defer done()
	return signature(types, file), true
}

func signature(types *checker.Checker, file *ast.SourceFile) (s Signature) {
	if file.Symbol == nil {
		return s
	}
	exported := types.TryGetMemberInModuleExports(ast.InternalSymbolNameDefault, file.Symbol)
	if exported == nil {
		return s
	}
	function := types.SkipAlias(exported)
	t := types.GetTypeOfSymbol(function)
	if t == nil {
		return s
	}
	calls := types.GetSignaturesOfType(t, checker.SignatureKindCall)
	if len(calls) == 0 {
		return s
	}
	w := schemaWriter{types: types, file: file}
	s.Function = true
	s.Doc = documentation(file, exported, function)
	call := calls[0]
	if len(calls) > 1 {
		w.find(place(file, function), codeType, "the function has several signatures; calls see the first one")
	}
	s.Params = w.params(call, place(file, function))
	s.Result = w.result(types.GetReturnTypeOfSignature(call), place(file, function))
	s.Found = w.found
	return s
}

// params returns the schema of the argument, from the type of the only parameter.
func (w *schemaWriter) params(call *checker.Signature, at int) json.RawMessage {
	parameters := call.Parameters()
	if len(parameters) == 0 {
		return encode(object{"type": "object", "properties": object{}, "additionalProperties": false})
	}
	for _, p := range parameters[1:] {
		w.find(place(w.file, p), codeParameter, "a saved script has one parameter, an object whose members are its parameters")
	}
	first := parameters[0]
	if w.at = place(w.file, first); w.at < 0 {
		w.at = at
	}
	t := w.types.GetTypeOfSymbol(first)
	if call.HasRestParameter() && len(parameters) == 1 {
		w.find(w.at, codeParameter, "a saved script has one parameter, an object whose members are its parameters; it cannot take a list")
		return encode(object{"type": "object"})
	}
	w.begin(true)
	schema := w.schema(t, false)
	if o, is := schema.(object); is && o["type"] == "object" {
		return w.end(o)
	}
	if o, is := schema.(object); is && (len(o) == 0 || o["anyOf"] != nil || o["$ref"] != nil) && w.objects(t) {
		o["type"] = "object" // all alternatives are objects
		return w.end(o)
	}
	w.find(w.at, codeParameter, "the parameter of a saved script is an object whose members are its parameters, such as { repo: string }, and not "+w.types.TypeToString(t))
	return encode(object{"type": "object"})
}

// objects reports whether all alternatives of a type can be objects. It ignores undefined,
// because a parameter may be optional.
func (w *schemaWriter) objects(t *checker.Type) bool {
	for _, t := range t.Distributed() {
		switch flags := t.Flags(); {
		case flags&(checker.TypeFlagsAnyOrUnknown|checker.TypeFlagsUndefined|checker.TypeFlagsNonPrimitive|checker.TypeFlagsIntersection) != 0:
		case flags&checker.TypeFlagsObject == 0 || w.types.IsArrayLikeType(t):
			return false
		}
	}
	return true
}

// result returns the schema of a function's result, nil if unknown. Promise<T> is like T.
func (w *schemaWriter) result(t *checker.Type, at int) json.RawMessage {
	if promised := w.types.GetPromisedTypeOfPromise(t); promised != nil {
		t = promised
	}
	if t.Flags()&(checker.TypeFlagsVoidLike|checker.TypeFlagsNever) != 0 {
		return encode(object{"type": "null"})
	}
	w.at = at
	w.begin(false)
	schema, _ := w.schema(t, true).(object)
	if len(schema) == 0 {
		return nil
	}
	return w.end(schema)
}

// place returns the offset of the declaration of a symbol in the script, or -1 if there is none.
func place(file *ast.SourceFile, s *ast.Symbol) int {
	for _, d := range s.Declarations {
		if ast.GetSourceFileOfNode(d) == file {
			return scanner.GetTokenPosOfNode(d, file, false)
		}
	}
	return -1
}
