package script_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// startCollector is the script command "collector". Until the end of the script, it receives OTLP over
// HTTP at $COLLECTOR, and appends the bodies of the requests to the files traces and metrics, and the
// headers to the file headers.
func startCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: collector")
	}
	dir := ts.MkAbs(".")
	var mu sync.Mutex
	keep := func(name string, data []byte) error {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
		return f.Close()
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = keep(path.Base(r.URL.Path), body)
		}
		if err == nil {
			err = keep("headers", []byte(r.Header.Get("X-Key")+"\n"))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("COLLECTOR", server.URL)
}
