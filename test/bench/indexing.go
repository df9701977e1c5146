//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding/minilm"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/test/harness"
)

const (
	manyTools = 1000
	// costTime is the duration of indexing over which the cost of a token is measured.
	costTime = 6 * time.Second
	// callEvery is the interval between calls. It is longer than a step of the indexer, so that most
	// calls arrive during a step.
	callEvery = 40 * time.Millisecond
	turns     = 8
	turnCalls = 12
	// modelIdle is the time without use after which the measured gateways release their model.
	modelIdle = 4 * time.Second
)

// indexing measures a gateway that indexes 1,000 tools: the cost per token, the memory, and the time
// of calls compared with a gateway that does not index.
func (b *bench) indexing(ctx context.Context) error {
	s, err := searchedTools()
	if err != nil {
		return err
	}
	config, catalog, closeServer, err := b.manyToolsServer(ctx, s)
	if err != nil {
		return err
	}
	defer closeServer()
	words, err := b.gateway(ctx, config, "--search-semantic", "off")
	if err != nil {
		return err
	}
	defer words.Stop() //nolint:errcheck // the measurement is done
	g, err := b.gateway(ctx, config)
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	if err := costOfTokens(ctx, g, s, catalog); err != nil {
		return err
	}
	return delayOfCalls(ctx, g, words, catalog.Tools()[0].ID())
}

// manyToolsServer starts an MCP server in this process with 1,000 tools that answer at once. It
// returns the configuration and the catalog of a gateway with this server.
func (b *bench) manyToolsServer(ctx context.Context, s searched) (config string, c toolscript.Catalog, stop func(), err error) {
	mcpServer := server.NewMCPServer("many", "1")
	var tools []toolscript.Tool
	for _, t := range s.several(manyTools) {
		t.Server, t.Name = "many", t.Server+"-"+t.Name
		tools = append(tools, t)
		mcpServer.AddTool(mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText("done"), nil
		})
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", c, nil, err
	}
	web := &http.Server{Handler: server.NewStreamableHTTPServer(mcpServer), ReadHeaderTimeout: time.Minute}
	go web.Serve(listener) //nolint:errcheck // ends with Close
	config, err = b.Config("many.json", fmt.Sprintf(`{"mcpServers":{"many":{"url":"http://%s/mcp"}}}`, listener.Addr()))
	return config, toolscript.NewCatalog(1, nil, tools), func() { _ = web.Close() }, err
}

// costOfTokens measures a gateway that indexes and does nothing else. Documents are embedded in
// order, so their number tells which were embedded.
func costOfTokens(ctx context.Context, g *harness.Gateway, s searched, catalog toolscript.Catalog) error {
	model, err := minilm.Open()
	if err != nil {
		return err
	}
	documents := index.New(catalog, nil).Missing()
	before, err := nextStep(ctx, g)
	if err != nil {
		return err
	}
	used := harness.OwnCPU(g.PID())
	var memory []float64
	for begin := time.Now(); time.Since(begin) < costTime; idle(ctx, costTime/10) {
		mb, err := harness.RSS(g.PID())
		if err != nil {
			return err
		}
		memory = append(memory, mb)
	}
	after, err := nextStep(ctx, g)
	if err != nil {
		return err
	}
	used = harness.OwnCPU(g.PID()) - used
	var all, embedded int
	for i, d := range documents {
		n := tokens(model, d)
		all += n
		if before <= i && i < after {
			embedded += n
		}
	}
	if len(documents) != len(catalog.Tools()) {
		return fmt.Errorf("%d tools have %d texts", len(catalog.Tools()), len(documents))
	}
	show(fmt.Sprintf("indexing %d tools of %s (%d tokens): CPU a token", manyTools, s.name, all), "ms",
		[]float64{milliseconds(used) / float64(embedded)}, "≤ 0.8")
	fmt.Printf("%-62s %9d      of %d tools\n", "  measured over tokens", embedded, after-before)
	show("RSS of the gateway with the model in use", "MB", memory, "≤ 130")
	return nil
}

// indexed returns the number of tools that have a vector, or an error if the gateway does not index.
func indexed(ctx context.Context, g *harness.Gateway) (int, error) {
	var stats toolscript.SearchStats
	if _, err := g.Get(ctx, "/search/stats", &stats); err != nil {
		return 0, err
	}
	if stats.CachedEmbeddings == manyTools || !stats.SemanticAvailable {
		return 0, fmt.Errorf("the gateway is not indexing: %+v", stats)
	}
	return stats.CachedEmbeddings, nil
}

// nextStep waits until more tools have a vector and returns their number.
func nextStep(ctx context.Context, g *harness.Gateway) (now int, err error) {
	before, err := indexed(ctx, g)
	if err != nil {
		return 0, err
	}
	return now, harness.Until(ctx, func() (bool, error) {
		now, err = indexed(ctx, g)
		return now > before, err
	})
}

// delayOfCalls compares the calls of a gateway that indexes with those of one that does not. The gateways
// alternate, and a signal stops the one that is not measured, so that each has the whole machine.
func delayOfCalls(ctx context.Context, busy, quiet *harness.Gateway, tool string) error {
	var whileIndexing, without []float64
	before, err := indexed(ctx, busy)
	if err != nil {
		return err
	}
	for range turns {
		for _, turn := range []struct {
			of, other *harness.Gateway
			times     *[]float64
		}{{busy, quiet, &whileIndexing}, {quiet, busy, &without}} {
			if err := errors.Join(turn.other.Signal(syscall.SIGSTOP), turn.of.Signal(syscall.SIGCONT)); err != nil {
				return err
			}
			times, err := callInTurn(ctx, turn.of, tool)
			if err != nil {
				return err
			}
			*turn.times = append(*turn.times, times...)
		}
	}
	if err := busy.Signal(syscall.SIGCONT); err != nil {
		return err
	}
	after, err := indexed(ctx, busy)
	if err != nil {
		return err
	}
	if after == before {
		return errors.New("nothing was indexed between the calls")
	}
	show("call while the gateway indexes", "ms", whileIndexing, "")
	show("the same without indexing", "ms", without, "")
	showRatio("of the two medians", median(whileIndexing), median(without), "about 1")
	showRatio("of the two ninth deciles", percentile(whileIndexing, 0.9), percentile(without, 0.9), "")
	return nil
}

// callInTurn makes some calls at intervals of callEvery and returns their times in
// ms.
func callInTurn(ctx context.Context, g *harness.Gateway, tool string) (times []float64, err error) {
	for i := range turnCalls {
		idle(ctx, callEvery)
		begin := time.Now()
		if status, err := g.Post(ctx, "/tools/"+tool, json.RawMessage(`{}`), nil); err != nil || status != http.StatusOK {
			return nil, fmt.Errorf("POST /tools: %d, %w", status, err)
		}
		if i >= 2 { // the first calls after the process was stopped do not count
			times = append(times, milliseconds(time.Since(begin)))
		}
	}
	return times, nil
}

// released measures a second start with 1,000 tools whose vectors are stored: the time until the vectors
// are used, and the memory of the gateway while it is searched and after some time without searches.
func (b *bench) released(ctx context.Context) error {
	s, err := searchedTools()
	if err != nil {
		return err
	}
	config, catalog, closeServer, err := b.manyToolsServer(ctx, s)
	if err != nil {
		return err
	}
	defer closeServer()
	file := search.VectorFile{Dir: filepath.Join(b.Home, ".toolscript", "cache", "embeddings"), Model: minilm.ID, Dim: minilm.Dim}
	if err := file.Add(ctx, madeUp(index.New(catalog, nil).Missing()), nil); err != nil {
		return err
	}
	g, err := b.gateway(ctx, config, "--search-idle", modelIdle.String())
	if err != nil {
		return err
	}
	defer g.Stop() //nolint:errcheck // the measurement is done
	if err := untilSearch(ctx, g, func(s toolscript.SearchStats) bool { return s.State == "hybrid" }); err != nil {
		return err
	}
	var used []float64
	for _, q := range s.queries[:min(40, len(s.queries))] {
		var a toolscript.SearchAnswer
		if status, err := g.Get(ctx, "/search?q="+url.QueryEscape(q), &a); err != nil || status != http.StatusOK || a.Mode != "hybrid" {
			return fmt.Errorf("GET /search: %d, mode %s, %w", status, a.Mode, err)
		}
		mb, err := harness.RSS(g.PID())
		if err != nil {
			return err
		}
		used = append(used, mb)
	}
	show("RSS of a gateway of 1,000 tools that is searched", "MB", used, "≤ 130")
	if err := settled(ctx, g); err != nil {
		return err
	}
	mb, err := harness.RSS(g.PID())
	if err != nil {
		return err
	}
	show("RSS after some time without a search", "MB", []float64{mb}, "< 50")
	return nil
}

// settled waits until a gateway has indexed its tools and released the model.
func settled(ctx context.Context, g *harness.Gateway) error {
	err := untilSearch(ctx, g, func(s toolscript.SearchStats) bool { return s.State == "hybrid" && !s.ModelLoaded })
	idle(ctx, time.Second)
	return err
}

func untilSearch(ctx context.Context, g *harness.Gateway, done func(toolscript.SearchStats) bool) error {
	return harness.Until(ctx, func() (bool, error) {
		var stats toolscript.SearchStats
		_, err := g.Get(ctx, "/search/stats", &stats)
		return done(stats), err
	})
}
