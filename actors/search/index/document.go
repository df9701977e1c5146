package index

import (
	"crypto/sha256"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/lexical"
)

// template numbers the form of Document.Texts. It is part of each key, so that
// vectors of another form are not found.
const template = "1"

// maxDescription bounds what is read of a description, which a server may make
// as long as it likes. An embedding sees some 500 bytes of it.
const maxDescription = 8 << 10

// Key names the meaning of a tool: tools that say the same have the same key.
// It does not name the model that a vector comes from.
type Key [sha256.Size]byte

// Document is what a tool says about itself.
type Document struct {
	Key Key
	// Texts are embedded; the tool's vector is the mean of theirs.
	Texts []string

	fields lexical.Document
}

// Describe makes the document of a tool.
func Describe(t toolscript.Tool) Document {
	fields := lexical.Document{
		Server:      t.Server,
		Name:        t.Name,
		Description: cut(t.Description, maxDescription),
		Parameters:  parameters(t.InputSchema),
	}
	d := Document{Texts: texts(fields), fields: fields}
	d.Key = sha256.Sum256([]byte(template + "\x00" + strings.Join(d.Texts, "\x00")))
	return d
}

// Fields are what the words of a query are looked up in.
func (d Document) Fields() lexical.Document { return d.fields }

// texts are two forms of one document. Each misleads the model in other cases,
// so their mean is better than either.
func texts(d lexical.Document) []string {
	inputs := inputs(d.Parameters)
	return []string{
		d.Server + " " + strings.ReplaceAll(d.Name, "_", " ") + " " + d.Description + inputs,
		lexical.Spaced(d.Name) + ". " + d.Description + inputs,
	}
}

// inputs lists parameters as "Inputs: name (description), name".
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

// cut is text without what is beyond n bytes, and valid.
func cut(text string, n int) string {
	if len(text) > n {
		text = text[:n]
	}
	return strings.ToValidUTF8(text, "")
}
