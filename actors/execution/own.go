package execution

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// own are the calls that the gateway answers itself. They count as calls, and see
// no tool that the run may not call.
var own = map[string]func(*host, context.Context, json.RawMessage) (any, error){
	runner.SearchTools:  (*host).search,
	runner.DescribeTool: (*host).describe,
}

func (h *host) own(ctx context.Context, c runner.Call, answer func(*host, context.Context, json.RawMessage) (any, error)) runner.Pending {
	if err := h.admit(); err != nil {
		return runner.Refused(toolError(toolscript.Tool{}, c.ID, err))
	}
	turn := h.turns.queue()
	return func() (v json.RawMessage, failure *toolscript.ToolError) {
		if err := turn.wait(ctx); err != nil {
			return nil, toolError(toolscript.Tool{}, c.ID, err)
		}
		defer turn.leave()
		h.observe(ctx, c, toolscript.Tool{}, func(ctx context.Context) toolscript.Kind {
			found, err := answer(h, ctx, c.Args)
			if err == nil {
				v, err = json.Marshal(found)
			}
			if err != nil {
				failure = toolError(toolscript.Tool{}, c.ID, err)
				return failure.Code
			}
			return ""
		})
		return v, failure
	}
}

// search answers tools.$search(query, {limit, threshold, server, readOnly}).
func (h *host) search(ctx context.Context, args json.RawMessage) (any, error) {
	var given struct {
		Query     string   `json:"query"`
		Limit     int      `json:"limit"`
		Threshold *float64 `json:"threshold"`
		Server    string   `json:"server"`
		ReadOnly  bool     `json:"readOnly"`
	}
	if err := arguments(args, &given); err != nil {
		return nil, err
	}
	q := toolscript.SearchQuery{
		Text: strings.TrimSpace(given.Query), Limit: given.Limit, Threshold: given.Threshold, ReadOnly: given.ReadOnly, Allow: h.allow,
	}
	if given.Server != "" {
		q.Servers = toolscript.Filter{given.Server}
	}
	answer, err := h.deps.Search(ctx, q)
	return answer.Results, err
}

// describe answers tools.$describe(tool).
func (h *host) describe(ctx context.Context, args json.RawMessage) (any, error) {
	var given struct {
		Tool string `json:"tool"`
	}
	if err := arguments(args, &given); err != nil {
		return nil, err
	}
	d, err := h.deps.Describe(ctx, given.Tool)
	switch {
	case err != nil && h.allow == nil:
		return nil, err
	case err != nil: // whether there is one like it is not for this run
		return nil, h.forbidden(given.Tool)
	case !h.allow.Match(toolscript.Tool{Server: d.ServerName, Name: d.ToolName}):
		return nil, h.forbidden(d.ToolID)
	}
	return d, nil
}

// arguments reads what a script gave. A name that means nothing is a mistake.
func arguments(args json.RawMessage, given any) error {
	d := json.NewDecoder(bytes.NewReader(args))
	d.DisallowUnknownFields()
	if err := d.Decode(given); err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("arguments: %s", strings.TrimPrefix(err.Error(), "json: "))}
	}
	return nil
}
