//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// agentRounds is the number of measured connections.
const agentRounds = 11

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`

// agents measures the time until the MCP server answers initialize, from the start of
// `toolscript mcp` without and with a gateway, and over HTTP.
func (b *bench) agents(ctx context.Context) error {
	path, err := b.threeServers()
	if err != nil {
		return err
	}
	if err := b.initializeTimes(ctx, "toolscript mcp, from its start to the answer to initialize", path); err != nil {
		return err
	}
	g, err := b.gateway(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = g.Stop() }() // its answers were read
	if err := b.initializeTimes(ctx, "the same while a gateway runs", path); err != nil {
		return err
	}
	var times []float64
	for range agentRounds {
		begin := time.Now()
		if err := postInitialize(ctx, g.URL+"/mcp"); err != nil {
			return err
		}
		times = append(times, milliseconds(time.Since(begin)))
	}
	show("initialize at /mcp of a gateway", "ms", times, "≤ 100")
	return nil
}

func (b *bench) initializeTimes(ctx context.Context, name, config string) error {
	var times []float64
	for range agentRounds {
		ms, err := initialized(ctx, b.Command(ctx, "mcp", "--config", config))
		if err != nil {
			return err
		}
		times = append(times, ms)
	}
	show(name, "ms", times, "≤ 100")
	return nil
}

// initialized starts an MCP server on stdio, ends it after its first answer, and returns the time.
func initialized(ctx context.Context, cmd *exec.Cmd) (ms float64, err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	begin := time.Now()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		return 0, err
	}
	ms = milliseconds(time.Since(begin))
	return ms, session.Close()
}

func postInitialize(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(initialize)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	if closing := response.Body.Close(); err == nil {
		err = closing
	}
	if err != nil || response.StatusCode != http.StatusOK || !json.Valid(text) {
		return fmt.Errorf("initialize: status %d, %w: %s", response.StatusCode, err, text)
	}
	return nil
}
