package mcpclient

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscript/toolscript/transport/upstream"
)

// TestVersions: a configuration can name exactly the versions that the library supports.
func TestVersions(t *testing.T) {
	if upstream.Handshake != mcp.LATEST_LEGACY_PROTOCOL_VERSION || upstream.Stateless != mcp.LATEST_PROTOCOL_VERSION {
		t.Errorf("the library has %s and %s", mcp.LATEST_LEGACY_PROTOCOL_VERSION, mcp.LATEST_PROTOCOL_VERSION)
	}
}
