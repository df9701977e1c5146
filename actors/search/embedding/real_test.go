//go:build integration && linux && amd64

package embedding_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/search/embedding"
	fixture "github.com/toolscript/toolscript/test/fixture/llama"
)

// real installs the program, a library and a model, once for all tests. Without a
// network it fails, and the tests report that on standard error.
var real = sync.OnceValues(func() (embedding.LlamaOptions, error) {
	dir, err := os.MkdirTemp("", "toolscript-llama-")
	if err != nil {
		return embedding.LlamaOptions{}, err
	}
	leftovers = append(leftovers, dir)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	program := filepath.Join(dir, embedding.ProgramName)
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "../../../cmd/toolscript-llama").CombinedOutput(); err != nil {
		return embedding.LlamaOptions{}, fmt.Errorf("go build: %w: %s", err, out)
	}
	library, model, err := fixture.Build(ctx, dir)
	return embedding.LlamaOptions{Program: program, Library: library, Model: model}, err
})

func options(t *testing.T) embedding.LlamaOptions {
	t.Helper()
	o, err := real()
	var download *fixture.DownloadError
	if errors.As(err, &download) {
		fmt.Fprintf(os.Stderr, "NOT TESTED: %s: the llama library and its model could not be fetched: %v\n", t.Name(), err)
		t.Skip("the library and the model could not be fetched")
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func start(t *testing.T) *embedding.Process {
	t.Helper()
	o := options(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p, err := embedding.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// otherwise matches texts that llama.cpp tokenizes differently from BERT: it does not
// split Hangul syllables, has no limit for the length of words, counts control
// characters, and treats [SEP] as the special token.
var otherwise = regexp.MustCompile(`[\p{Hangul}\[\x00]|x{100}`)

// TestReference compares the vectors of llama.cpp with those of another
// implementation of the model.
// The short form compares ten texts.
func TestReference(t *testing.T) {
	p := start(t)
	if p.Dim() != 384 || !strings.HasPrefix(p.ID(), "gguf-minilm-f16-") {
		t.Fatalf("%s with %d values", p.ID(), p.Dim())
	}
	content, err := os.ReadFile("minilm/testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []struct{ Text, Vector string }
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, r := range all {
		if testing.Short() && compared == 10 {
			break
		}
		if len(r.Text) > 400 || otherwise.MatchString(r.Text) {
			continue // the reference truncates it to 128 tokens
		}
		vector, err := p.EmbedQuery(t.Context(), r.Text)
		if err != nil {
			t.Errorf("%q: %v", r.Text, err)
			continue
		}
		got := cosine(vector, decode(t, r.Vector))
		t.Logf("%.6f of %.60q", got, r.Text)
		if compared++; !(got >= 0.9999) {
			t.Errorf("cosine of %.60q with the reference is %.6f", r.Text, got)
		}
	}
	if compared < 10 {
		t.Errorf("only %d texts compared", compared)
	}
}

// TestTexts embeds texts that are difficult for C and the tokenizer.
func TestTexts(t *testing.T) {
	p := start(t)
	for name, text := range map[string]string{
		"NUL":              "a\x00b",
		"broken UTF-8":     "a\xff\xfeb\xed\xa0\x80",
		"special tokens":   "[CLS] [SEP] [MASK]",
		"8 KB of words":    strings.Repeat("file ", 1700),
		"megabytes of CJK": strings.Repeat("文", 1<<20),
		"8 KB of brackets": strings.Repeat("(", 8<<10),
		"one long word":    strings.Repeat("x", 8<<10),
		"nothing":          "",
	} {
		vectors, err := p.Embed(t.Context(), []string{text})
		if err != nil || len(vectors) != 1 || math.Abs(length(vectors[0])-1) > 1e-3 {
			t.Errorf("%s: %d vectors, %v", name, len(vectors), err)
		}
	}
}

// TestConcurrentRequests: concurrent callers get the vector of their own text, and
// cancelled calls do not disturb others.
func TestConcurrentRequests(t *testing.T) {
	p := start(t)
	alone := make([][]float32, 8)
	for i := range alone {
		var err error
		if alone[i], err = p.EmbedQuery(t.Context(), text(i)); err != nil {
			t.Fatal(err)
		}
	}
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if i%3 == 0 {
				cancel()
			}
			vector, err := p.EmbedQuery(ctx, text(i%8))
			if i%3 == 0 && err != nil {
				return
			}
			if err != nil || cosine(vector, alone[i%8]) < 0.9999 {
				t.Errorf("%d: another vector than alone, %v", i, err)
			}
		})
	}
	group.Wait()
}

func text(i int) string { return strings.Repeat(fmt.Sprintf("file number %d ", i), i+1) }

// TestKilled: waiting callers get an error immediately.
func TestKilled(t *testing.T) {
	p := start(t)
	pid := p.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil { // so that it cannot answer before it is killed
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := p.Embed(t.Context(), []string{strings.Repeat("file ", 1000)})
		failed <- err
	}()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; toolscript.KindOf(err) != toolscript.Unavailable || !strings.Contains(err.Error(), "killed") {
		t.Errorf("%v, want unavailable: killed", err)
	}
	<-p.Done()
	if p.Err() == nil {
		t.Error("no error of a process that was killed")
	}
	if _, err := p.EmbedQuery(t.Context(), "x"); toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("afterwards: %v", err)
	}
}

// TestDamagedModel: llama.cpp returns an error or aborts; Start returns an error for
// both.
func TestDamagedModel(t *testing.T) {
	o := options(t)
	content, err := os.ReadFile(o.Model)
	if err != nil {
		t.Fatal(err)
	}
	o.Model = filepath.Join(t.TempDir(), "half.gguf")
	if err := os.WriteFile(o.Model, content[:len(content)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := embedding.Start(t.Context(), o)
	if err == nil {
		p.Close()
	}
	if toolscript.KindOf(err) != toolscript.Unavailable {
		t.Errorf("half a model: %v", err)
	}
	t.Log(err)
}

// TestOneThread: llama creates no additional threads.
func TestOneThread(t *testing.T) {
	p := start(t)
	before := threads(t, p)
	if _, err := p.Embed(t.Context(), []string{text(1), text(7), text(3)}); err != nil {
		t.Fatal(err)
	}
	if after := threads(t, p); after > before+2 {
		t.Errorf("%d threads before, %d after", before, after)
	}
}

func threads(t *testing.T, p *embedding.Process) int {
	t.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	return len(tasks)
}

func decode(t *testing.T, text string) []float32 {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	vector := make([]float32, len(raw)/4)
	if _, err := binary.Decode(raw, binary.LittleEndian, vector); err != nil {
		t.Fatal(err)
	}
	return vector
}

func cosine(a, b []float32) float64 {
	var ab float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
	}
	return ab / length(a) / length(b)
}

func length(v []float32) float64 {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	return math.Sqrt(square)
}
