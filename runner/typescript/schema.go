package shim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/microsoft/typescript-go/internal/ast"
	"github.com/microsoft/typescript-go/internal/checker"
	"github.com/microsoft/typescript-go/internal/jsnum"
	"github.com/microsoft/typescript-go/internal/scanner"
)

// The limits of a schema. A recursive generic type can be infinite.
const (
	maxSchemaDepth = 24
	maxSchemaTypes = 5000
	maxFindings    = 20
)

// object is a JSON object. Encoding sorts its members.
type object = map[string]any

// schemaWriter converts types to JSON Schemas. A type that a schema cannot express becomes
// the schema of any value, with a diagnostic.
type schemaWriter struct {
	types *checker.Checker
	file  *ast.SourceFile
	at    int // offset of diagnostics
	found []Diagnostic

	closed bool // objects may not have members that their types do not have
	count  int
	open   []*checker.Type          // types that enclose the current one
	refs   map[*checker.Type]string // names of types that contain themselves
	defs   object
}

func (w *schemaWriter) begin(closed bool) {
	w.closed, w.count, w.open, w.refs, w.defs = closed, 0, nil, map[*checker.Type]string{}, object{}
}

// end encodes a schema with the definitions of the types that contain themselves.
func (w *schemaWriter) end(schema object) json.RawMessage {
	if len(w.defs) > 0 {
		schema["$defs"] = w.defs
	}
	return encode(schema)
}

// schema returns the schema of a type. value says that JSON.stringify encodes the values of
// the type.
func (w *schemaWriter) schema(t *checker.Type, value bool) any {
	w.count++
	if w.count > maxSchemaTypes || len(w.open) > maxSchemaDepth {
		return w.unknown("the type is too large or nests too deep")
	}
	switch flags := t.Flags(); {
	case flags&checker.TypeFlagsAnyOrUnknown != 0:
		return object{}
	case flags&checker.TypeFlagsUnion != 0 && flags&checker.TypeFlagsBoolean == 0:
		return w.union(t, value)
	case flags&checker.TypeFlagsBoolean != 0:
		return object{"type": "boolean"}
	case flags&checker.TypeFlagsLiteral != 0:
		return w.literal(t)
	case flags&checker.TypeFlagsStringLike != 0:
		return object{"type": "string"}
	case flags&checker.TypeFlagsNumberLike != 0:
		return object{"type": "number"}
	case flags&(checker.TypeFlagsNull|checker.TypeFlagsVoidLike) != 0:
		return object{"type": "null"}
	case flags&checker.TypeFlagsNonPrimitive != 0:
		return object{"type": "object"}
	case flags&(checker.TypeFlagsObject|checker.TypeFlagsIntersection) != 0:
		return w.structured(t, value)
	}
	return w.unknown(w.types.TypeToString(t) + " is not a type of JSON values")
}

// unknown adds a diagnostic and returns the schema of any value.
func (w *schemaWriter) unknown(why string) any {
	w.find(w.at, codeType, why+"; in calls of the script the type is unknown")
	return object{}
}

func (w *schemaWriter) find(at int, code, message string) {
	if len(w.found) >= maxFindings {
		return
	}
	line, column := scanner.GetECMALineAndUTF16CharacterOfPosition(w.file, max(at, 0))
	d := Diagnostic{Line: line + 1, Column: int(column) + 1, Code: code, Message: message}
	if !slices.Contains(w.found, d) {
		w.found = append(w.found, d)
	}
}

func (w *schemaWriter) literal(t *checker.Type) any {
	value, ok := jsonOf(t)
	if !ok {
		return w.unknown(w.types.TypeToString(t) + " is not a type of JSON values")
	}
	return object{"const": value}
}

// jsonOf returns the value of a literal type.
func jsonOf(t *checker.Type) (value any, ok bool) {
	if t.Flags()&checker.TypeFlagsLiteral == 0 || t.Flags()&checker.TypeFlagsBigIntLiteral != 0 {
		return nil, t.Flags()&checker.TypeFlagsNull != 0
	}
	switch v := t.AsLiteralType().Value().(type) {
	case string, bool:
		return v, true
	case jsnum.Number:
		return float64(v), !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	}
	return nil, false
}

// union returns the schema of a union. Literals become an enum. undefined is not an
// alternative, because a member that may be undefined is optional.
func (w *schemaWriter) union(t *checker.Type, value bool) any {
	var literals []any
	var rest []any
	booleans := 0
	for _, alternative := range t.Types() {
		if alternative.Flags()&checker.TypeFlagsBooleanLiteral != 0 {
			booleans++
		}
	}
	for _, alternative := range t.Types() {
		flags := alternative.Flags()
		literal, isLiteral := jsonOf(alternative)
		switch {
		case flags&checker.TypeFlagsVoidLike != 0:
		case flags&checker.TypeFlagsBooleanLiteral != 0 && booleans > 1:
			if !slices.ContainsFunc(rest, func(s any) bool { return s.(object)["type"] == "boolean" }) {
				rest = append(rest, object{"type": "boolean"})
			}
		case isLiteral:
			literals = append(literals, literal)
		default:
			schema := w.schema(alternative, value)
			if len(schema.(object)) == 0 {
				return schema // any value
			}
			rest = append(rest, schema)
		}
	}
	switch {
	case len(literals) == 1 && literals[0] == nil:
		rest = append(rest, object{"type": "null"})
	case len(literals) == 1:
		rest = append(rest, object{"const": literals[0]})
	case len(literals) > 1:
		slices.SortFunc(literals, byText) // the compiler's order depends on what it has seen before
		rest = append(rest, object{"enum": literals})
	}
	switch len(rest) {
	case 0:
		return object{"type": "null"}
	case 1:
		return rest[0]
	}
	return object{"anyOf": rest}
}

func byText(a, b any) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }

// structured returns the schema of an object or an array. A type that contains itself becomes a definition.
func (w *schemaWriter) structured(t *checker.Type, value bool) any {
	if slices.Contains(w.open, t) {
		if w.refs[t] == "" {
			w.refs[t] = fmt.Sprintf("t%d", len(w.refs)+1)
		}
		return object{"$ref": "#/$defs/" + w.refs[t]}
	}
	w.open = append(w.open, t)
	defer func() { w.open = w.open[:len(w.open)-1] }()
	schema := w.members(t, value)
	name := w.refs[t]
	if name == "" {
		return schema
	}
	w.defs[name] = schema
	if len(w.open) == 1 { // the root also has the members themselves, which calls need
		root := object{}
		for key, part := range schema.(object) {
			root[key] = part
		}
		return root
	}
	return object{"$ref": "#/$defs/" + name}
}

func (w *schemaWriter) members(t *checker.Type, value bool) any {
	switch {
	case checker.IsTupleType(t):
		return w.tuple(t, value)
	case w.types.IsArrayLikeType(t):
		if of := w.types.GetElementTypeOfArrayType(t); of != nil {
			return object{"type": "array", "items": w.schema(of, value)}
		}
		if of := w.types.GetNumberIndexType(t); of != nil {
			return object{"type": "array", "items": w.schema(of, value)}
		}
	case t.Flags()&checker.TypeFlagsIntersection != 0:
		for _, part := range t.Types() { // a branded string
			if part.Flags()&checker.TypeFlagsPrimitive != 0 {
				return w.schema(part, value)
			}
		}
	}
	if w.types.TypeHasCallOrConstructSignatures(t) {
		return w.unknown("a function cannot be passed as JSON")
	}
	if written := w.types.GetTypeOfPropertyOfType(t, "toJSON"); written != nil {
		return w.written(t, written, value)
	}
	if s := t.Symbol(); s != nil && w.ofLibrary(s) {
		return w.unknown(w.types.TypeToString(t) + " is not a type of JSON values")
	}
	return w.object(t, value)
}

// written returns the schema of a class with toJSON, such as Date.
func (w *schemaWriter) written(t, toJSON *checker.Type, value bool) any {
	calls := w.types.GetSignaturesOfType(toJSON, checker.SignatureKindCall)
	if !value || len(calls) == 0 {
		return w.unknown(w.types.TypeToString(t) + " cannot be passed as JSON")
	}
	return w.schema(w.types.GetReturnTypeOfSignature(calls[0]), value)
}

// ofLibrary reports whether a class or interface is declared by the ECMAScript library,
// such as Map.
func (w *schemaWriter) ofLibrary(s *ast.Symbol) bool {
	return s.Flags&(ast.SymbolFlagsClass|ast.SymbolFlagsInterface) != 0 && slices.ContainsFunc(s.Declarations, func(d *ast.Node) bool {
		name := ast.GetSourceFileOfNode(d).FileName()
		return name != mainFile && name != moduleFile && name != globalsFile
	})
}

func (w *schemaWriter) tuple(t *checker.Type, value bool) any {
	tuple := t.TargetTupleType()
	items, least := []any{}, 0
	schema := object{"type": "array"}
	rest := false
	for i, of := range w.types.GetTypeArguments(t) {
		if i >= len(tuple.ElementFlags()) {
			break
		}
		switch flag := tuple.ElementFlags()[i]; {
		case flag&checker.ElementFlagsVariable != 0:
			rest = true
			schema["items"] = w.schema(of, value)
		case flag&checker.ElementFlagsRequired != 0:
			least = i + 1
			fallthrough
		default:
			items = append(items, w.schema(of, value))
		}
		if rest {
			break
		}
	}
	if len(items) > 0 {
		schema["prefixItems"] = items
	}
	if least > 0 {
		schema["minItems"] = least
	}
	if !rest {
		schema["items"], schema["maxItems"] = false, len(items)
	}
	return schema
}

func (w *schemaWriter) object(t *checker.Type, value bool) any {
	properties, required := object{}, []string{}
	for _, p := range w.types.GetPropertiesOfType(t) {
		if p.Name == "" || strings.HasPrefix(p.Name, ast.InternalSymbolNamePrefix) { // a symbol
			continue
		}
		of := w.types.GetTypeOfSymbol(p)
		if value && w.types.TypeHasCallOrConstructSignatures(of) {
			continue // JSON.stringify omits methods
		}
		outer := w.at
		if at := place(w.file, p); at >= 0 {
			w.at = at
		}
		schema := w.schema(of, value).(object)
		w.at = outer
		if doc := documentation(w.file, p); doc != "" && schema["$ref"] == nil {
			schema["description"] = doc
		}
		properties[p.Name] = schema
		if p.Flags&ast.SymbolFlagsOptional == 0 && !mayBeUndefined(of) {
			required = append(required, p.Name)
		}
	}
	schema := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		slices.Sort(required)
		schema["required"] = required
	}
	if of := w.types.GetStringIndexType(t); of != nil {
		schema["additionalProperties"] = w.schema(of, value)
	} else if w.closed && !w.types.IsEmptyAnonymousObjectType(t) {
		schema["additionalProperties"] = false
	}
	return schema
}

func mayBeUndefined(t *checker.Type) bool {
	return slices.ContainsFunc(t.Distributed(), func(t *checker.Type) bool { return t.Flags()&checker.TypeFlagsVoidLike != 0 })
}

func encode(schema object) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil { // cannot happen: all values are valid in JSON
		return json.RawMessage(`{}`)
	}
	return text
}
