package terminal

import "testing"

// TestDataIsNoBlock: only a content block of MCP is replaced by a descriptor.
func TestDataIsNoBlock(t *testing.T) {
	for _, data := range []string{
		`{"type":"image","data":"YQ==","mimeType":"image/png","title":"a cat"}`,
		`{"type":"image","data":"YQ=="}`,
		`{"type":"image","data":{"width":3},"mimeType":"image/png"}`,
		`{"type":"image","mimeType":"image/png"}`,
		`{"type":"image","data":"YQ==","mimeType":"text/plain"}`,
		`{"type":"image","data":"YQ==","mimeType":"png"}`,
		`{"type":"audio","data":"YQ==","mimeType":"image/png"}`,
		`{"type":"resource","resource":{"uri":"a","blob":"YQ==","mimeType":"nothing"}}`,
		`{"uri":"a","blob":"YQ==","mimeType":"nothing"}`,
		`{"uri":"a","blob":"YQ=="}`,
		`{"type":"audio","data":"not base64!","mimeType":"audio/wav"}`,
		`{"type":"resource","resource":{"blob":"YQ==","mimeType":"x/y"}}`,
		`{"type":"resource","resource":{"uri":"a","blob":"YQ==","size":1}}`,
		`{"type":"resource","resource":{"uri":"a","blob":"YQ=="},"id":7}`,
		`{"type":"resource","resource":["blob"],"data":"YQ=="}`,
		`{"uri":"https://a.example","blob":"YQ=="}`,
		`{"uri":"https://a.example","blob":"YQ==","mimeType":"x/y","sha":"1"}`,
		`{"uri":7,"blob":"YQ==","mimeType":"x/y"}`,
		`{"blob":"YQ==","size":3}`,
	} {
		for _, value := range []string{data, `{"rows":[` + data + `]}`} {
			text, blobs := describeBlobs("run_1", []byte(value))
			if string(text) != value || len(blobs) > 0 {
				t.Errorf("%s became %s", value, text)
			}
		}
	}
	for _, block := range []string{
		`{"type":"image","data":"YQ==","mimeType":"image/png","annotations":{"priority":1},"_meta":{}}`,
		`{"type":"resource","resource":{"uri":"a","blob":"YQ==","_meta":{}},"annotations":{}}`,
		`{"uri":"a","blob":"YQ==","mimeType":"x/y"}`,
	} {
		if _, blobs := describeBlobs("run_1", []byte(block)); len(blobs) != 1 {
			t.Errorf("%s has %d blobs, want 1", block, len(blobs))
		}
	}
}
