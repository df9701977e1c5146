package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"

	"github.com/toolscript/toolscript"
)

// Harness runs the scripts and calls in the answer of a model, and calls emit with each
// item and each progress event, in order. An error of emit, or the end of ctx, ends the
// running script and is returned.
func (c *Client) Harness(ctx context.Context, req toolscript.HarnessRequest, emit func(json.RawMessage) error) error {
	req.Profile = cmp.Or(req.Profile, c.profile)
	body, err := encodeBody(req)
	if err != nil {
		return err
	}
	return c.stream(ctx, http.MethodPost, "/harness", body, func(text []byte) (last bool, err error) {
		var item struct {
			Type  toolscript.EventType `json:"type"`
			Error *toolscript.RunError `json:"error"`
		}
		switch err := json.Unmarshal(text, &item); {
		case err != nil:
			return false, errNotGateway
		case item.Type != toolscript.EventEnd:
			return false, emit(bytes.TrimSuffix(text, []byte("\n")))
		case item.Error != nil:
			return true, &toolscript.Error{Kind: item.Error.Code, Err: errorText(item.Error.Message)}
		default:
			return true, nil
		}
	})
}

type errorText string

func (e errorText) Error() string { return string(e) }
