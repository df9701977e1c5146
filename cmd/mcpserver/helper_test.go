package mcpserver_test

import (
	"encoding/json"

	"github.com/toolscript/toolscript/cmd/value"
)

func noMedia(string, json.RawMessage) ([]value.Medium, int) { return nil, 0 }
