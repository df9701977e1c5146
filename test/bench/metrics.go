//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/transport/api"
	"github.com/toolscript/toolscript/transport/upstream"
)

// measuredServers is the number of servers of the gateway whose metrics are measured.
const measuredServers = 50

// metrics measures a request for the metrics of a gateway with many servers.
func (b *bench) metrics(ctx context.Context) error {
	servers := map[string]upstream.Config{}
	for i := range measuredServers {
		servers[fmt.Sprint("s", i)] = upstream.Config{Type: upstream.Builtin, Dir: b.Home, Tools: []string{"readFile"}}
	}
	s, err := actors.Start(actors.Options{Servers: servers})
	if err != nil {
		return err
	}
	defer s.Close(context.WithoutCancel(ctx)) //nolint:errcheck // the measurement is done
	if _, pending := s.Await(ctx, nil); len(pending) > 0 {
		return fmt.Errorf("%d servers are not connected", len(pending))
	}
	m, err := api.ListenMetrics(s.Measures, nil, 0, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer m.Close() //nolint:errcheck // the measurement is done
	var took []float64
	for i := range 60 {
		begin := time.Now()
		n, err := get(ctx, m.URL())
		if err != nil {
			return err
		}
		if n < measuredServers*100 {
			return fmt.Errorf("the metrics have only %d bytes", n)
		}
		if i >= 10 { // after the warm-up
			took = append(took, float64(time.Since(begin).Microseconds())/1000)
		}
	}
	show(fmt.Sprintf("GET /metrics, %d servers", measuredServers), "ms", took, "≤ 5")
	return nil
}

func get(ctx context.Context, url string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read to the end
	return io.Copy(io.Discard, response.Body)
}
