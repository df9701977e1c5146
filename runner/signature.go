package runner

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// Signature describes the function that a script exports as default.
type Signature struct {
	// Function reports whether the script exports a function. If not, Params, Result and Doc
	// are empty.
	Function bool `json:"function,omitempty"`

	Params json.RawMessage `json:"params,omitempty"` // JSON Schema of the argument, which is always an object
	Result json.RawMessage `json:"result,omitempty"` // JSON Schema of the result; nil if unknown
	Doc    string          `json:"doc,omitempty"`    // text of the comment /** … */ before the function
	Fatal  bool            `json:"fatal,omitempty"`  // no call can pass the parameters that the function expects

	// Found lists the parts of the types that a schema cannot express, in the order of the
	// text.
	Found []toolscript.Diagnostic `json:"found,omitempty"`
}

// Signer describes the functions that scripts export.
type Signer interface {
	// Signature returns the signature of a script that compiles, or an error if the script
	// could not be examined. For a script that exceeds the limits of the checker, Function is
	// false and Found has a diagnostic with CodeLimit.
	Signature(ctx context.Context, c TypeCheck) (Signature, error)
}
