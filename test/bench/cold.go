//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
)

// coldServers is the number of servers in a search without a gateway.
const coldServers = 15

// cold measures a search without a gateway, by a new process that uses stored tools and vectors.
func (b *bench) cold(ctx context.Context) error {
	config, err := b.coldConfig()
	if err != nil {
		return err
	}
	for range 20 { // each computes vectors for at most ten seconds
		answer, said, err := b.coldSearch(ctx, config)
		if err != nil {
			return err
		}
		if answer.State == "hybrid" && len(answer.Missing) == 0 && said == "" {
			return b.coldTimes(ctx, config)
		}
	}
	return errors.New("the caches are not complete after 20 searches")
}

func (b *bench) coldTimes(ctx context.Context, config string) error {
	var times []float64
	for range 9 {
		begin := time.Now()
		answer, said, err := b.coldSearch(ctx, config)
		if err != nil || answer.Mode != "hybrid" || said != "" {
			return fmt.Errorf("mode %q, stderr %q: %w", answer.Mode, said, err)
		}
		times = append(times, milliseconds(time.Since(begin)))
	}
	show(fmt.Sprintf("search without a gateway, %d servers in the cache, none started", coldServers), "ms", times, "< 500")
	return nil
}

func (b *bench) coldSearch(ctx context.Context, config string) (answer toolscript.SearchAnswer, said string, err error) {
	var stdout, stderr bytes.Buffer
	c := b.Command(ctx, "search", "--config", config, "--output", "json", "read a text file")
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		return answer, stderr.String(), fmt.Errorf("%w: %s", err, stderr.String())
	}
	return answer, stderr.String(), json.Unmarshal(stdout.Bytes(), &answer)
}

// coldConfig configures the three real servers, and this program as each of the other servers.
func (b *bench) coldConfig() (string, error) {
	type server struct {
		Command string            `json:"command"`
		Args    []string          `json:"args,omitempty"`
		Env     map[string]string `json:"env,omitempty"`
	}
	servers := map[string]server{
		"everything": {Command: filepath.Join(b.peers, "mcp-server-everything"), Args: []string{"stdio"}},
		"filesystem": {Command: filepath.Join(b.peers, "mcp-server-filesystem"), Args: []string{b.Home}},
		"memory":     {Command: filepath.Join(b.peers, "mcp-server-memory"), Env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(b.Home, "cold.jsonl")}},
	}
	for i := len(servers); i < coldServers; i++ {
		servers[fmt.Sprintf("own%d", i)] = server{Command: b.self, Args: []string{asServer}}
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		return "", err
	}
	return b.Config("cold.json", string(text))
}
