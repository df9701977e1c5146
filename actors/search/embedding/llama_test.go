//go:build linux

package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/embedding"
)

func startFake(t *testing.T, name string) *embedding.Process {
	t.Helper()
	p, err := embedding.Start(t.Context(), fake(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestVectorsAreNormalized(t *testing.T) {
	p := startFake(t, "well")
	vectors, err := p.Embed(t.Context(), []string{"a", "b"})
	if err != nil || len(vectors) != 2 || vectors[1][0] != 0.6 || vectors[1][1] != 0.8 {
		t.Errorf("%v, %v", vectors, err)
	}
}

// TestFormsOfLlama: queries of a BGE model get the prefix, documents and texts of other
// models do not.
func TestFormsOfLlama(t *testing.T) {
	const sentence = "Represent this sentence for searching relevant passages: "
	for model, want := range map[string]int{"bge-small-en": len(sentence) + 1, "all-MiniLM-L6": 1} {
		p := startFake(t, model)
		query, err := p.EmbedQuery(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		documents, err := p.Embed(t.Context(), []string{"d"})
		if err != nil {
			t.Fatal(err)
		}
		sent := func(v []float32) int { return int(math.Round(float64(v[0] / v[1]))) }
		if sent(query) != want || sent(documents[0]) != 1 {
			t.Errorf("%s: %d bytes of a query, %d of a document, want %d and 1", model, sent(query), sent(documents[0]), want)
		}
	}
}

// TestBrokenProtocol: a program that breaks the protocol is ended, and waiting
// callers get an error.
func TestBrokenProtocol(t *testing.T) {
	for _, name := range []string{"dies", "garbage", "huge", "half", "no-json"} {
		p := startFake(t, name)
		_, err := p.EmbedQuery(t.Context(), "x")
		if toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%s: %v, want unavailable", name, err)
		}
		t.Logf("%s: %v", name, err)
		<-p.Done()
	}
}

// TestInvalidVectors: an invalid vector is an error for its text only.
func TestInvalidVectors(t *testing.T) {
	for _, name := range []string{"zero", "long", "none", "refuses"} {
		p := startFake(t, name)
		for range 2 {
			if _, err := p.Embed(t.Context(), []string{"x"}); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
		if p.Err() != nil {
			t.Errorf("%s: the program is gone: %v", name, p.Err())
		}
	}
}

func TestBadStarts(t *testing.T) {
	for _, name := range []string{"panics", "no-dimension"} {
		p, err := embedding.Start(t.Context(), fake(t, name))
		if err == nil {
			p.Close()
		}
		if toolscript.KindOf(err) != toolscript.Unavailable {
			t.Errorf("%s: %v, want unavailable", name, err)
		}
		if name == "panics" && !strings.Contains(err.Error(), "Library 'libllama_go.so' not found") {
			t.Errorf("%v does not say why", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedding.Start(ctx, fake(t, "silent")); !errors.Is(err, context.Canceled) && toolscript.KindOf(err) != toolscript.Cancelled {
		t.Errorf("a start that is given up: %v", err)
	}
}

// TestCheck: missing files are reported before a process is started.
func TestCheck(t *testing.T) {
	for want, change := range map[string]func(o *embedding.LlamaOptions){
		"go build":             func(o *embedding.LlamaOptions) { o.Program = filepath.Join(o.Library, "nothing") },
		"not an absolute path": func(o *embedding.LlamaOptions) { o.Library = "." },
		"not a GGUF file":      func(o *embedding.LlamaOptions) { write(t, o.Model, "version https://git-lfs.github.com/spec/v1\n") },
		"no such file":         func(o *embedding.LlamaOptions) { o.Model += "x" },
		"well.ggufx":           func(o *embedding.LlamaOptions) { o.Model += "x"; o.Program = "/nothing" },
		"is not a file":        func(o *embedding.LlamaOptions) { o.Model = o.Library },
		"git lfs pull": func(o *embedding.LlamaOptions) {
			write(t, filepath.Join(o.Library, embedding.LibraryName), "version https://git-lfs.github.com/spec/v1\n")
		},
		"is not a library": func(o *embedding.LlamaOptions) { write(t, filepath.Join(o.Library, embedding.LibraryName), "\x7fELF") },
		"--search-library": func(o *embedding.LlamaOptions) {
			if err := os.Remove(filepath.Join(o.Library, embedding.LibraryName)); err != nil {
				t.Fatal(err)
			}
		},
	} {
		o := fake(t, "well")
		change(&o)
		if err := o.Check(); toolscript.KindOf(err) != toolscript.Invalid || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want invalid with %q", err, want)
		}
	}
	if err := fake(t, "well").Check(); err != nil {
		t.Error(err)
	}
}

// TestIDFollowsTheContent: two models with one file name have different IDs.
func TestIDFollowsTheContent(t *testing.T) {
	o := fake(t, "well")
	ids := map[string]bool{}
	for _, content := range []string{"GGUF1", "GGUF2"} {
		write(t, o.Model, content)
		p, err := embedding.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		ids[p.ID()] = true
		p.Close()
		p.Close() // the second call has no effect
	}
	if len(ids) != 2 {
		t.Errorf("two contents, ids %v", ids)
	}
}

// TestIsolation checks the environment and the files of the process.
func TestIsolation(t *testing.T) {
	t.Setenv("TOOLSCRIPT_SECRET", "s3cret")
	o := fake(t, "well")
	p, err := embedding.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	proc := filepath.Join("/proc", strconv.Itoa(p.PID()))
	environment, err := os.ReadFile(filepath.Join(proc, "environ"))
	if err != nil {
		t.Fatal(err)
	}
	want := "LD_LIBRARY_PATH=" + o.Library + "\x00OMP_NUM_THREADS=1\x00OMP_THREAD_LIMIT=1\x00"
	if got := string(environment); got != want {
		t.Errorf("environment %q, want %q", got, want)
	}
	if folder, err := os.Readlink(filepath.Join(proc, "cwd")); err != nil || folder != o.Library {
		t.Errorf("it runs in %s, want %s (%v)", folder, o.Library, err)
	}
}

func FuzzReadFrame(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\x00\x00\x10{\"vector\":[1,2]}"))
	f.Add([]byte("\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, wire []byte) {
		var a, b embedding.Answer
		if embedding.ReadFrame(bytes.NewReader(wire), &a) != nil {
			return
		}
		var again bytes.Buffer
		if err := embedding.WriteFrame(&again, a); err != nil {
			t.Fatal(err)
		}
		if err := embedding.ReadFrame(io.Reader(&again), &b); err != nil || a.Error != b.Error || len(a.Vector) != len(b.Vector) {
			t.Errorf("%+v, then %+v, %v", a, b, err)
		}
	})
}
