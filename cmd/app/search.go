package app

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/cmd/config"
)

// Search holds the flags for how a gateway of this command finds tools. Without a flag, the
// setting of the configuration applies.
type Search struct {
	semantic Choice
	alpha    Ratio
	noCache  bool
	model    string
	library  string
	device   Choice
	idle     Duration

	set *pflag.FlagSet // flag set of the command
}

// Add adds the flags.
func (s *Search) Add(f *pflag.FlagSet) {
	s.set = f
	s.semantic.Choices = []string{"on", "off"}
	f.Var(&s.semantic, "search-semantic", "find tools by meaning and by words; off means by words only (default on)")
	f.Var(&s.alpha, "search-alpha", "the weight of the meaning in a score (default 0.7)")
	f.BoolVar(&s.noCache, "search-no-cache", false, "do not cache embeddings")
	f.StringVar(&s.model, "search-model", "", "the model: minilm, which is part of toolscript, or the path of a .gguf file (default minilm)")
	f.StringVar(&s.library, "search-library", "", "`folder` of libllama_go.so, for a .gguf file (default that of toolscript-llama)")
	s.device.Choices = []string{"auto", "cpu", config.DeviceWebGPU}
	f.Var(&s.device, "search-device", "the device of the model; webgpu is accepted and means the processor (default auto)")
	f.Var(&s.idle, "search-idle", "how long the embedded model stays in memory without a search (default 2m)")
	FromEnvironment(f, "search-device", "TOOLSCRIPT_SEARCH_DEVICE")
	FromEnvironment(f, "search-idle", "TOOLSCRIPT_SEARCH_IDLE")
	FromEnvironment(f, "search-model", "TOOLSCRIPT_SEARCH_MODEL")
	FromEnvironment(f, "search-library", "TOOLSCRIPT_SEARCH_LIBRARY")
	FromEnvironment(f, "search-semantic", "TOOLSCRIPT_SEARCH_SEMANTIC")
	FromEnvironment(f, "search-alpha", "TOOLSCRIPT_SEARCH_ALPHA")
	FromEnvironment(f, "search-no-cache", "TOOLSCRIPT_SEARCH_NO_CACHE")
}

// OnCommandLine returns the names of the search flags on the command line.
func (s *Search) OnCommandLine() []string {
	if s.set == nil { // the command has no such flags
		return nil
	}
	var names []string
	s.set.VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, "search-") && Typed(f) {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}

// Hide hides the flags in the help of a command with another purpose.
func (s *Search) Hide(f *pflag.FlagSet) {
	for _, name := range []string{"search-semantic", "search-alpha", "search-no-cache", "search-model", "search-library", "search-device", "search-idle"} {
		f.Lookup(name).Hidden = true
	}
}

// Over applies the flags to the settings of the files.
func (s *Search) Over(settings *config.Search) {
	if s.semantic.Value != "" {
		settings.Lexical = s.semantic.Value == "off"
	}
	if s.alpha.Given {
		settings.Alpha = &s.alpha.Value
	}
	settings.NoCache = settings.NoCache || s.noCache
	settings.Device = s.device.Value
	settings.Idle = cmp.Or(time.Duration(s.idle), settings.Idle)
	settings.Model, settings.Library = cmp.Or(s.model, settings.Model), cmp.Or(s.library, settings.Library)
}

// Results holds the flags that select search results.
type Results struct {
	Limit     Count
	Threshold Ratio
}

// Add adds the flags, with a prefix to their names.
func (r *Results) Add(f *pflag.FlagSet, prefix, limit, threshold string) {
	r.Limit.Most = index.MaxLimit
	f.VarP(&r.Limit, prefix+"limit", limit, "the maximum number of results (default 3, and up to two more that match as well)")
	f.VarP(&r.Threshold, prefix+"threshold", threshold, "the minimum confidence of a tool without the words of the query (default 0.35)")
	FromEnvironment(f, prefix+"limit", "TOOLSCRIPT_SEARCH_LIMIT")
	FromEnvironment(f, prefix+"threshold", "TOOLSCRIPT_SEARCH_THRESHOLD")
}

// Over applies the flags to the settings of the files.
func (r *Results) Over(settings *config.Search) {
	settings.Limit = cmp.Or(int(r.Limit.N), settings.Limit)
	if r.Threshold.Given {
		settings.Threshold = &r.Threshold.Value
	}
}

// Ratio is a number from 0 to 1.
type Ratio struct {
	Value float64
	Given bool
}

func (r *Ratio) String() string {
	if !r.Given {
		return ""
	}
	return strconv.FormatFloat(r.Value, 'g', -1, 64)
}

// Type implements pflag.Value.
func (r *Ratio) Type() string { return "0..1" }

// Set implements pflag.Value.
func (r *Ratio) Set(text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return errors.New("want a number from 0 to 1")
	}
	*r = Ratio{value, true}
	return nil
}
