package mcp_test

import (
	"encoding/json"

	"github.com/toolscript/toolscript/cmd/terminal"
)

func noMedia(string, json.RawMessage) ([]terminal.Medium, int) { return nil, 0 }
