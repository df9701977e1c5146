package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/embedder"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/actors/search/vectors"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/transport/embedding/llama"
	"github.com/toolscript/toolscript/transport/embedding/remote"
)

// embeddedNames are what the model that is part of the program is called.
var embeddedNames = []string{"minilm", "xenova/all-minilm-l6-v2"}

// llamaVariable names the file of toolscript-llama, where it is not beside
// toolscript.
const llamaVariable = "TOOLSCRIPT_LLAMA"

// useModel chooses the model of the search: a file by --search-model, else the
// endpoint of the configuration, else the embedded one. A name that nobody knows
// leaves the search with words only, and the warning says so.
func (a *app) useModel(o *actors.SearchOptions, settings config.Search) (warnings []string) {
	name := settings.Model
	switch {
	case strings.EqualFold(filepath.Ext(name), ".gguf"):
		o.Outside = modelSource(settings, a.llamaModel(settings))
	case name == "" && settings.Remote.URL != "":
		o.Outside = modelSource(settings, remoteModel(settings.Remote))
	case name != "" && !slices.Contains(embeddedNames, strings.ToLower(name)):
		return []string{fmt.Sprintf("search is by words only: no model is called %q; use minilm, which is part of toolscript, or the path of a .gguf file", name)}
	}
	o.Model = search.MiniLM(settings.Idle)
	return nil
}

// modelSource names a model by all that it depends on, of which the key is a secret.
func modelSource(s config.Search, open func(context.Context) (embedder.Model, error)) embedder.Source {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t", s.Model, s.Library, s.Remote, s.NoCache))
	return embedder.Source{Name: hex.EncodeToString(sum[:]), Open: open}
}

// llamaModel opens a model with toolscript-llama.
func (a *app) llamaModel(settings config.Search) func(context.Context) (embedder.Model, error) {
	return func(ctx context.Context) (embedder.Model, error) {
		program, err := llama.Find(a.getenv(llamaVariable))
		if err != nil {
			return nil, err
		}
		o := llama.Options{Program: program, Library: filepath.Dir(program)}
		if settings.Library != "" {
			if o.Library, err = filepath.Abs(settings.Library); err != nil {
				return nil, err
			}
		}
		if o.Model, err = filepath.Abs(settings.Model); err != nil {
			return nil, err
		}
		p, err := llama.Start(ctx, o)
		if err != nil {
			return nil, err // and no Model that holds a nil
		}
		return p, nil
	}
}

func remoteModel(r config.Remote) func(context.Context) (embedder.Model, error) {
	return func(ctx context.Context) (embedder.Model, error) {
		e, err := remote.Open(ctx, remote.Options{URL: r.URL, Model: r.Model, Key: r.Key})
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// keepVectors says where the vectors of the models are kept.
func (a *app) keepVectors(o *actors.SearchOptions) {
	dir := a.usableCache("embeddings")
	if dir == "" {
		return
	}
	file := func(m index.Embedder) search.Cache { return vectors.File{Dir: dir, Model: m.ID(), Dim: m.Dim()} }
	o.Cache, o.OutsideCache = file(o.Model), file
}
