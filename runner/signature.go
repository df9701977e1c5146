package runner

import (
	"context"
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// Signature describes the function that a script exports as default.
type Signature struct {
	// Function is false if the script exports no function. It then has no parameters, and
	// the rest is empty.
	Function bool `json:"function,omitempty"`

	Params json.RawMessage `json:"params,omitempty"` // JSON schema of the argument, always of an object
	Result json.RawMessage `json:"result,omitempty"` // JSON schema of the value; nil if nothing is known of it
	Doc    string          `json:"doc,omitempty"`    // of the comment /** … */ before the function
	Fatal  bool            `json:"fatal,omitempty"`  // no call can pass the parameters that the function wants

	// Found are the parts of the types that a schema cannot express, in the order of the
	// text.
	Found []toolscript.Diagnostic `json:"found,omitempty"`
}

// Signer describes the functions that scripts export.
type Signer interface {
	// Signature returns the signature of a script that compiles, and an error if the
	// script could not be examined. A script that exceeds the limits of the checker has
	// no function and a finding with CodeLimit.
	Signature(ctx context.Context, c TypeCheck) (Signature, error)
}
