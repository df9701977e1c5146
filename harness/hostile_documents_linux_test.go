package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/gateway"
	"github.com/toolscript/toolscript/test/fixture/race"
	"github.com/toolscript/toolscript/transport/openapi"
	"github.com/toolscript/toolscript/transport/upstream"
)

// documents returns a gateway with a server of the given OpenAPI document.
func documents(t *testing.T, document string) (s *actors.System, reads *atomic.Int64) {
	t.Helper()
	limitConversions(t)
	reads = &atomic.Int64{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		reads.Add(1)
		_, _ = w.Write([]byte(document))
	}))
	t.Cleanup(web.Close)
	settings, err := json.Marshal(openapi.Settings{Spec: web.URL + "/openapi", BaseURL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.Start(gateway.Options{
		Options: actors.Options{Servers: map[string]upstream.Config{"api": {Type: upstream.OpenAPI, API: settings}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close(context.Background()) }) // the test has ended
	return g.System, reads
}

// TestHostileDocuments starts servers whose documents would take gigabytes or minutes. Such a
// server gets the state failed with the reason, and its document is not read again.
func TestHostileDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("documents that take seconds each")
	}
	for _, test := range []struct{ name, document, want string }{
		{"a schema that 600 operations share", sharedSchema(600), ""},
		{"parameters", `{"openapi": "3.0.0", "paths": {"/a": {"get": {"parameters": [` + repeat(300_000, `{"name": "p%d", "in": "query"}`) + `]}}}}`, "more than 1000 parameters"},
		{"lines of YAML", "openapi: 3.0.0\nx:\n" + strings.Repeat("- {a: [b, c], d: [e, f]}\n", 400_000), "it needed more than 256 MB of memory"},
		{"bodies of many parts", manyParts(20_000), "it took longer than"},
	} {
		t.Run(test.name, func(t *testing.T) {
			watch := watchMemory()
			s, reads := documents(t, test.document)
			s.Await(t.Context(), nil)
			peak := watch()
			t.Logf("%d MB above rest", peak)
			if peak > maxAbove {
				t.Errorf("%d MB more than at rest, want at most %d", peak, maxAbove)
			}
			all, err := s.Status(t.Context())
			if err != nil || len(all.Servers) != 1 {
				t.Fatalf("%+v, %v", all.Servers, err)
			}
			api := all.Servers[0]
			switch {
			case race.Enabled && strings.Contains(api.Error, "more than 256 MB of memory"):
			case test.want == "" && (api.State != toolscript.Ready || api.Tools == 0):
				t.Errorf("the server is %s with %d tools: %s", api.State, api.Tools, api.Error)
			case test.want != "" && (api.State != toolscript.Failed || !strings.Contains(api.Error, test.want)):
				t.Errorf("the server is %s: %s, want failed: %s", api.State, api.Error, test.want)
			case reads.Load() != 1:
				t.Errorf("the document was read %d times", reads.Load())
			}
		})
	}
}

// repeat joins count texts of the given format.
func repeat(count int, format string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, ","+format, i)
	}
	return b.String()[1:]
}

// sharedSchema is a document of 1 MB with operations that all have one result.
func sharedSchema(operations int) string {
	schemas := repeat(1000, `"s%d": {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/sNEXT"}}, "description": "`+strings.Repeat("x", 850)+`"}`)
	for i := range 1000 {
		schemas = strings.Replace(schemas, "sNEXT", fmt.Sprintf("s%d", (i+1)%1000), 1)
	}
	return `{"openapi": "3.0.0", "paths": {` +
		repeat(operations, `"/%d": {"get": {"responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/s0"}}}}}}}`) +
		`}, "components": {"schemas": {` + schemas + `}}}`
}

// manyParts is a document whose operations each have a body of a thousand parts.
func manyParts(operations int) string {
	return `{"openapi": "3.0.0", "paths": {` +
		repeat(operations, `"/%d": {"post": {"requestBody": {"content": {"application/json": {"schema": {"$ref": "#/s"}}}}}}`) +
		`}, "s": {"allOf": [` + repeat(990, `{"properties": {"m%d": {"$ref": "#/t"}}}`) + `]}, "t": {"type": "string", "description": "` + strings.Repeat("x", 10_000) + `"}}`
}

// watchMemory watches the memory of this process and its children. end stops the watch and
// returns by how many MB the memory was at most above its value at the beginning.
func watchMemory() (end func() (peak int64)) {
	idle, peak := memory(), int64(0)
	over, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				peak = max(peak, memory()-idle)
			}
		}
	}()
	return func() int64 {
		close(over)
		<-stopped
		return peak
	}
}
