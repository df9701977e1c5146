package api

import (
	"bufio"
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
	body, err := json.Marshal(req)
	if err != nil {
		return invalid("the request cannot be encoded: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the gateway ends the script with the connection
	resp, err := c.open(ctx, http.MethodPost, "/harness", mediaJSON, body)
	if err != nil {
		return err
	}
	defer closeBody(resp)
	in := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		text, err := in.ReadBytes('\n')
		if err == nil && len(text) == 1 { // a heartbeat
			continue
		}
		var item struct {
			Type  toolscript.EventType `json:"type"`
			Error *toolscript.RunError `json:"error"`
		}
		if err == nil {
			err = json.Unmarshal(text, &item)
		}
		switch {
		case err != nil:
			return c.cutShort(ctx, err)
		case item.Type != toolscript.EventEnd:
			if err := emit(bytes.TrimSuffix(text, []byte("\n"))); err != nil {
				return err
			}
		case item.Error != nil:
			return &toolscript.Error{Kind: item.Error.Code, Err: errorText(item.Error.Message)}
		default:
			return nil
		}
	}
}

type errorText string

func (e errorText) Error() string { return string(e) }
