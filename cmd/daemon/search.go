package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/search"
	"github.com/toolscript/toolscript/actors/search/embedding"
	"github.com/toolscript/toolscript/cmd/config"
)

// embeddedNames are the names of the model that is part of the program.
var embeddedNames = []string{"minilm", "xenova/all-minilm-l6-v2"}

// llamaVariable names the program toolscript-llama if it is not in the folder of
// toolscript.
const llamaVariable = "TOOLSCRIPT_LLAMA"

// searchOptions converts the settings. It returns warnings about settings that have no
// effect.
func (h *Host) searchOptions(settings config.Search) (o actors.SearchOptions, warnings []string) {
	o = actors.SearchOptions{Limit: settings.Limit, Threshold: settings.Threshold, Alpha: settings.Alpha}
	if settings.Lexical {
		return o, nil
	}
	warnings = h.chooseModel(&o, settings)
	if o.Model != nil && !settings.NoCache {
		h.cacheVectors(&o)
	}
	return o, warnings
}

// chooseModel chooses the model of the search: the file of --search-model, else the
// endpoint of the configuration, else the embedded model. An unknown name also selects the
// embedded model, with a warning: configurations of other programs name models that
// toolscript does not have.
func (h *Host) chooseModel(o *actors.SearchOptions, settings config.Search) (warnings []string) {
	name := settings.Model
	if settings.Device == config.DeviceWebGPU {
		warnings = append(warnings, "search runs on the processor: --search-device webgpu is not supported")
	}
	switch {
	case strings.EqualFold(filepath.Ext(name), ".gguf"):
		o.Outside = modelSource(settings, h.llamaModel(settings))
	case name == "" && settings.Remote.URL != "":
		o.Outside = modelSource(settings, remoteModel(settings.Remote))
	case name != "" && !slices.Contains(embeddedNames, strings.ToLower(name)):
		warnings = append(warnings, fmt.Sprintf("search uses minilm, the embedded model: there is no model %q; give the path of a .gguf file for another model", name))
	}
	o.Model = search.MiniLM(settings.Idle)
	return warnings
}

// modelSource names a model by a hash of everything that its vectors depend on. The key of
// an endpoint is secret.
func modelSource(s config.Search, open func(context.Context) (search.OpenModel, error)) search.ModelSource {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %t", s.Model, s.Library, s.Remote, s.NoCache))
	return search.ModelSource{Name: hex.EncodeToString(sum[:]), Open: open}
}

// llamaModel opens a model with toolscript-llama.
func (h *Host) llamaModel(settings config.Search) func(context.Context) (search.OpenModel, error) {
	return func(ctx context.Context) (search.OpenModel, error) {
		program, err := embedding.Find(h.getenv(llamaVariable))
		if err != nil {
			return nil, err
		}
		o := embedding.LlamaOptions{Program: program, Library: filepath.Dir(program)}
		if settings.Library != "" {
			if o.Library, err = filepath.Abs(settings.Library); err != nil {
				return nil, err
			}
		}
		if o.Model, err = filepath.Abs(settings.Model); err != nil {
			return nil, err
		}
		p, err := embedding.Start(ctx, o)
		if err != nil {
			return nil, err // a nil *Process in a Model would not be nil
		}
		return p, nil
	}
}

// CheckModel returns an error if the search model outside of the program cannot be used. It
// opens the model only if probe is true, because a request to an endpoint may cost money.
func (h *Host) CheckModel(ctx context.Context, settings config.Search, probe bool) error {
	var o actors.SearchOptions
	h.chooseModel(&o, settings)
	if settings.Lexical || o.Outside.Open == nil {
		return nil
	}
	if probe {
		m, err := o.Outside.Open(ctx)
		if err == nil {
			m.Close()
		}
		return err
	}
	if !strings.EqualFold(filepath.Ext(settings.Model), ".gguf") {
		return nil
	}
	if _, err := os.Stat(settings.Model); err != nil {
		return err
	}
	program, err := embedding.Find(h.getenv(llamaVariable))
	if err == nil {
		_, err = os.Stat(program)
	}
	return err
}

func remoteModel(r config.Remote) func(context.Context) (search.OpenModel, error) {
	return func(ctx context.Context) (search.OpenModel, error) {
		e, err := embedding.Open(ctx, embedding.RemoteOptions{URL: r.URL, Model: r.Model, Key: r.Key})
		if err != nil {
			return nil, err
		}
		return e, nil
	}
}

// cacheVectors sets the files that cache the models' vectors.
func (h *Host) cacheVectors(o *actors.SearchOptions) {
	dir := h.Cache("embeddings")
	if dir == "" {
		return
	}
	file := func(m embedding.Embedder) search.Cache {
		return search.VectorFile{Dir: dir, Model: m.ID(), Dim: m.Dim()}
	}
	o.Cache, o.OutsideCache = file(o.Model), file
}
