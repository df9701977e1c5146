package validate

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscript/toolscript/internal/rawjson"
)

// Limits of Fits, which must return quickly.
const (
	maxQuick     = 64 << 10 // bytes of arguments
	maxQuickWork = 1 << 15  // units of work, see budget
)

// Fits reports whether Check would find no violation. It is quick, and may return false for
// valid arguments: if the schema is not compiled yet, or if the arguments are long or costly to
// check. It applies most schemas without decoding the arguments.
func (v *Validator) Fits(schema, args json.RawMessage) bool {
	if len(args) > maxQuick || measure(args).depth > maxArguments {
		return false
	}
	var c *checker
	if schema != nil {
		e := v.lookup(schema)
		select {
		case <-e.ready:
			c = e.checker
		default:
			return false
		}
	}
	s, err := rawjson.NewScanner(args)
	if err != nil || s.Next() != '{' {
		return false
	}
	if c == nil || c.fits(&s, c.schema) {
		return true
	}
	value, err := decode(args)
	if err != nil {
		return false
	}
	wrong, _, problem, err := c.check(&budget{ctx: context.Background(), left: maxQuickWork}, value, 0)
	return wrong == nil && problem == nil && err == nil
}

// plainFields are the fields of a schema that the method fits applies, and the fields that do
// not restrict values.
var plainFields = []string{
	"Types", "Required", "Properties", "AdditionalProperties", "Items2020",
	"DraftVersion", "Location", "ID", "Anchor", "Format", "Title", "Description", "Default", "Comment", "ReadOnly", "WriteOnly", "Examples", "Deprecated",
}

// isPlain reports whether the method fits can apply a schema.
func isPlain(s *jsonschema.Schema) bool {
	fields := reflect.ValueOf(*s)
	for i := range fields.NumField() {
		field := fields.Type().Field(i)
		if field.IsExported() && !fields.Field(i).IsZero() && !slices.Contains(plainFields, field.Name) {
			return false
		}
	}
	return true
}

// fits consumes a value. It returns true if the value satisfies s, and false if the value does
// not satisfy s or fits cannot tell. It recurses for each level of the value.
func (c *checker) fits(value *rawjson.Scanner, s *jsonschema.Schema) bool {
	if !c.plain[s] {
		return false
	}
	switch value.Next() {
	case '{':
		return allows(s, "object") && c.membersFit(value, s)
	case '[':
		if !allows(s, "array") {
			return false
		}
		for value.Bracket(); value.Next() != ']'; {
			if s.Items2020 == nil {
				value.Raw()
			} else if !c.fits(value, s.Items2020) {
				return false
			}
		}
		value.Bracket()
		return true
	case '"':
		_ = value.String()
		return allows(s, "string")
	case 'n':
		value.Word()
		return allows(s, "null")
	case 't', 'f':
		value.Word()
		return allows(s, "boolean")
	}
	integer := !strings.ContainsAny(value.Word(), ".eE")
	return allows(s, "number") || integer && allows(s, "integer")
}

// membersFit is fits for objects.
func (c *checker) membersFit(value *rawjson.Scanner, s *jsonschema.Schema) bool {
	found := 0 // number of required members found
	var seen uint64
	for value.Bracket(); value.Next() != '}'; {
		name := value.String()
		if i := slices.Index(s.Required, name); i >= 64 {
			return false
		} else if i >= 0 && seen&(1<<i) == 0 {
			seen |= 1 << i
			found++
		}
		member, known := s.Properties[name]
		if !known {
			switch more := s.AdditionalProperties.(type) {
			case *jsonschema.Schema:
				member = more
			case bool:
				if !more {
					return false
				}
			}
		}
		if member == nil {
			value.Raw()
		} else if !c.fits(value, member) {
			return false
		}
	}
	value.Bracket()
	return found == len(s.Required)
}

func allows(s *jsonschema.Schema, name string) bool {
	return s.Types == nil || s.Types.IsEmpty() || *s.Types&types[name] != 0
}
