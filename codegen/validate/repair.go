package validate

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// repair changes a decoded schema so that the library compiles it as its authors mean it. Package
// codegen reads schemas in the same way:
//
//   - Keywords of another draft are converted to those of the schema's draft.
//   - A keyword whose value has the wrong form is removed, because it would disable the
//     check of the whole tool.
//   - A member with a default is not required.
//   - If no value of const or enum has a type of the schema, the type is removed.
func repair(doc any, patterns *patterns) repaired {
	r := repairer{patterns: patterns, doc: doc, repaired: repaired{draft: jsonschema.Draft2020}}
	root, _ := doc.(map[string]any)
	dialect, _ := root["$schema"].(string)
	_, dialect, ours := strings.Cut(dialect, "//json-schema.org/")
	switch {
	case strings.HasPrefix(dialect, "draft-0"):
		r.draft = jsonschema.Draft7
		r.oldID = strings.HasPrefix(dialect, "draft-03") || strings.HasPrefix(dialect, "draft-04")
	case strings.HasPrefix(dialect, "draft/2019-09"):
		r.draft = jsonschema.Draft2019
	}
	if ours {
		delete(root, "$schema")
	}
	r.schema(doc, "#")
	return r.repaired
}

// repaired is the result of repair.
type repaired struct {
	draft     *jsonschema.Draft
	annotated bool  // some schemas have keywords of OpenAPI
	relaxed   bool  // some members are not required because they have a default
	problem   error // error about a keyword that was removed; nil if there is none
}

type repairer struct {
	repaired
	patterns *patterns
	doc      any
	oldID    bool // identities are called id, as in draft 4
	aside    bool // inside an unknown keyword, whose value may not be a schema
	tested   bool // inside not or if: a schema that allows more values there rejects more arguments
}

// schema repairs a schema and the schemas in it.
func (r *repairer) schema(schema any, at string) {
	s, ok := schema.(map[string]any)
	if !ok {
		return
	}
	r.annotated = r.annotated || s["nullable"] == true || s["discriminator"] != nil
	r.identity(s)
	limits(s)
	for keyword, value := range s {
		if want := r.form(keyword, value); want != "" {
			r.note(keyword, want, at)
			delete(s, keyword)
			if keyword == "type" {
				forget(s)
			}
		}
	}
	r.siblings(s)
	r.dependencies(s)
	r.require(s)
	r.positions(s)
	fixType(s)
	for keyword, value := range s {
		r.inside(keyword, value, at+"/"+escape.Replace(keyword))
	}
}

// note records a problem, unless the keyword is only an annotation. Of several problems, it keeps the one whose text
// sorts first.
func (r *repairer) note(keyword, want, at string) {
	switch keyword {
	case "$comment", "title", "description", "format", "contentEncoding", "contentMediaType", "deprecated", "readOnly", "writeOnly", "examples":
		return
	}
	text := fmt.Sprintf("the schema is not valid at %s: %s must be %s; the rest of it is applied", cut(at), cut(keyword), want)
	if !r.aside && (r.problem == nil || text < r.problem.Error()) { // the order of a map is random
		r.problem = errors.New(text)
	}
}

// require removes items that are not strings from required, and the names of members with a
// default. It looks for these members also in the parts of allOf.
func (r *repairer) require(s map[string]any) {
	members, _ := s["properties"].(map[string]any)
	r.requireOf(s, members)
	parts, _ := s["allOf"].([]any)
	for _, part := range parts {
		if part, ok := part.(map[string]any); ok && part["properties"] == nil {
			r.requireOf(part, members)
		}
	}
}

func (r *repairer) requireOf(s, members map[string]any) {
	list, ok := s["required"].([]any)
	if !ok {
		return
	}
	var kept []any
	for _, name := range unique(list) {
		if !r.tested && r.hasDefault(members[name.(string)]) {
			r.relaxed = true
			continue
		}
		kept = append(kept, name)
	}
	if s["required"] = kept; kept == nil {
		delete(s, "required")
	}
}

// unique returns the strings of a list without duplicates.
func unique(list []any) []any {
	var kept []any
	seen := map[string]bool{}
	for _, item := range list {
		if text, ok := item.(string); ok && !seen[text] {
			seen[text] = true
			kept = append(kept, item)
		}
	}
	return kept
}

// manyReferences is the maximum length of a chain of references.
const manyReferences = 8

// hasDefault reports whether a schema, or one that it refers to, has a default.
func (r *repairer) hasDefault(schema any) bool {
	for range manyReferences {
		s, _ := schema.(map[string]any)
		if _, has := s["default"]; has {
			return true
		}
		ref, _ := s["$ref"].(string)
		at, here := strings.CutPrefix(ref, "#/")
		if !here {
			return false
		}
		schema = follow(r.doc, at)
	}
	return false
}

// follow returns the value at a JSON pointer without its first slash, in the encoding
// of a URI fragment; nil if there is no such value.
func follow(doc any, at string) any {
	for step := range strings.SplitSeq(at, "/") {
		if decoded, err := url.PathUnescape(step); err == nil {
			step = decoded
		}
		step = unescape.Replace(step)
		switch part := doc.(type) {
		case map[string]any:
			doc = part[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(part) {
				return nil
			}
			doc = part[i]
		default:
			return nil
		}
	}
	return doc
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// fixType removes the keyword "type" if no value of const or enum has such a type. It also removes repeated types.
func fixType(s map[string]any) {
	names, isList := s["type"].([]any)
	if !isList {
		names = []any{s["type"]}
	}
	values, _ := s["enum"].([]any)
	if only, given := s["const"]; given {
		values = []any{only}
	}
	for _, value := range values {
		kind := typeOf(value)
		if slices.Contains(names, any(kind)) || kind == "number" && slices.Contains(names, "integer") {
			return
		}
	}
	if len(values) > 0 {
		delete(s, "type")
	} else if isList {
		s["type"] = unique(names)
	}
}

// inside repairs the schemas in the value of a keyword.
func (r *repairer) inside(keyword string, value any, at string) {
	switch keyword {
	case "const", "enum", "default", "example", "examples", "discriminator":
	case "properties", "$defs", "definitions", "dependentSchemas", "patternProperties", "dependentRequired", "dependencies":
		r.named(keyword, value.(map[string]any), at)
	default:
		aside, tested := r.aside, r.tested
		r.aside = aside || !applies(keyword)
		r.tested = tested || keyword == "not" || keyword == "if"
		if list, ok := value.([]any); ok {
			r.list(list, at)
		}
		r.schema(value, at)
		r.aside, r.tested = aside, tested
	}
}

// applies reports whether the value of a keyword is a schema that applies to arguments, or contains such schemas.
func applies(keyword string) bool {
	switch keyword {
	case "not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties", "unevaluatedItems",
		"additionalItems", "contentSchema", "items", "allOf", "anyOf", "oneOf", "prefixItems":
		return true
	}
	return false
}

func (r *repairer) list(list []any, at string) {
	for i, item := range list {
		if !r.aside && !isSchema(item) {
			r.note(fmt.Sprint(i), "a schema", at)
			list[i] = true
			continue
		}
		r.schema(item, fmt.Sprintf("%s/%d", at, i))
	}
}

// named repairs the values of a keyword whose value maps names to values.
func (r *repairer) named(keyword string, all map[string]any, at string) {
	for name, value := range all {
		names, isList := value.([]any)
		switch {
		case keyword == "patternProperties" && !r.compiles(name):
			r.note(name, "a regular expression", at)
			delete(all, name)
		case isList && (keyword == "dependentRequired" || keyword == "dependencies"):
			all[name] = unique(names)
		case keyword == "dependentRequired":
			r.note(name, "a list of names", at)
			delete(all, name)
		case !isSchema(value):
			r.note(name, "a schema", at)
			all[name] = true
		default:
			r.schema(value, at+"/"+escape.Replace(name))
		}
	}
}
