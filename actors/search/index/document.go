package index

import (
	"crypto/sha256"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/lexical"
	"github.com/toolscript/toolscript/internal/texts"
)

// template is the version of Document.Texts. It is part of each key, so that vectors
// of another version are not used.
const template = "1"

// maxDescription bounds the description, which has no limit in MCP. An embedding uses
// about 500 bytes of it.
const maxDescription = 8 << 10

// Key is the hash of a tool's texts. Tools with equal texts have equal keys. The key
// does not contain the model.
type Key [sha256.Size]byte

// Document is the text of a tool.
type Document struct {
	Key Key
	// Texts are embedded. The vector of the tool is the mean of their vectors.
	Texts []string
	// Fields are the text for lexical search.
	Fields lexical.Document
}

// Describe returns the document of a tool.
func Describe(t toolscript.Tool) Document {
	fields := lexical.Document{
		Server:      t.Server,
		Name:        nameOf(t),
		Description: texts.Cut(t.Description, maxDescription),
		Parameters:  parameters(t.InputSchema),
	}
	d := Document{Texts: forms(fields), Fields: fields}
	d.Key = sha256.Sum256([]byte(template + "\x00" + strings.Join(d.Texts, "\x00")))
	return d
}

// nameOf returns the name of a tool, or of a skill, whose Name is a URI.
func nameOf(t toolscript.Tool) string {
	if t.Skill != nil {
		return t.Title
	}
	return t.Name
}

// forms returns two forms of one document. Each misleads the model in other cases, so
// the mean of both is better than either.
func forms(d lexical.Document) []string {
	inputs := inputs(d.Parameters)
	return []string{
		d.Server + " " + strings.ReplaceAll(d.Name, "_", " ") + " " + d.Description + inputs,
		lexical.Spaced(d.Name) + ". " + d.Description + inputs,
	}
}

// inputs lists parameters in the form "Inputs: name (description), name".
func inputs(parameters []lexical.Parameter) string {
	if len(parameters) == 0 {
		return ""
	}
	listed := make([]string, len(parameters))
	for i, p := range parameters {
		listed[i] = p.Name
		if p.Description != "" {
			listed[i] += " (" + p.Description + ")"
		}
	}
	return " Inputs: " + strings.Join(listed, ", ")
}
