package codegen

// withoutParameters returns the type of the arguments of a tool: a type without members if the
// schema declares no parameter, and otherwise t. By the rules for objects, a schema without
// parameters would become an open type, but readers of its index signature would look for
// parameters that do not exist.
func (c *converter) withoutParameters(t *typ) *typ {
	switch {
	case t == unknown: // arguments are always an object
		return anyObject
	case c.open || t.op != opObject || len(t.props) > 0 || t.rest != unknown || c.doc.root.has("additionalProperties", "unevaluatedProperties"):
		return t
	case c.doc.root.get("properties").is(object) && onlyDeclares(c.doc.root):
		return noMembers
	}
	return anyObject
}

// onlyDeclares reports whether an object schema has no keyword about members except
// properties.
func onlyDeclares(v *value) bool {
	for _, m := range v.members {
		switch m.key {
		case "type", "properties", "required", "title", "description", "default", "examples", "deprecated",
			"$schema", "$id", "$comment", "$defs", "definitions":
		default:
			return false
		}
	}
	return true
}

// maxReferences is the maximum length of a chain of references.
const maxReferences = 8

// hasDefault reports whether a schema, or one that it refers to, has a default. A
// member of the arguments with a default may be left out, even if it is in required:
// the server adds it.
func (c *converter) hasDefault(v *value) bool {
	if !c.input {
		return false
	}
	for range maxReferences {
		if v.has("default") {
			return true
		}
		ref := v.get("$ref").str()
		if ref == "" {
			return false
		}
		v = c.doc.resolve(v, ref)
	}
	return false
}
