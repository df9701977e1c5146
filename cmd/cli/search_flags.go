package cli

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/actors"
	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/cmd/config"
)

// searchFlags say how a gateway of this command finds tools. What is not given
// is left to the configuration.
type searchFlags struct {
	semantic choiceFlag
	alpha    ratioFlag
	noCache  bool
	model    string
	library  string
	idle     durationFlag
}

func (s *searchFlags) add(f *pflag.FlagSet) {
	s.semantic.choices = []string{"on", "off"}
	f.Var(&s.semantic, "search-semantic", "find tools by meaning too; off is by words only (default on)")
	f.Var(&s.alpha, "search-alpha", "the part of meaning in a score (default 0.7)")
	f.BoolVar(&s.noCache, "search-no-cache", false, "do not keep what the model computes")
	f.StringVar(&s.model, "search-model", "", "the model: minilm, which is part of toolscript, or the path of a .gguf file (default minilm)")
	f.StringVar(&s.library, "search-library", "", "the folder of libllama_go.so, for a .gguf file (default that of toolscript-llama)")
	f.Var(&s.idle, "search-idle", "how long the embedded model stays in memory that nobody uses (default 2m)")
	fromEnvironment(f, "search-idle", "TOOLSCRIPT_SEARCH_IDLE")
	fromEnvironment(f, "search-model", "TOOLSCRIPT_SEARCH_MODEL")
	fromEnvironment(f, "search-library", "TOOLSCRIPT_SEARCH_LIBRARY")
	fromEnvironment(f, "search-semantic", "TOOLSCRIPT_SEARCH_SEMANTIC")
	fromEnvironment(f, "search-alpha", "TOOLSCRIPT_SEARCH_ALPHA")
	fromEnvironment(f, "search-no-cache", "TOOLSCRIPT_SEARCH_NO_CACHE")
}

// hide keeps the flags out of the help of a command that is about something else.
func (s *searchFlags) hide(f *pflag.FlagSet) {
	for _, name := range []string{"search-semantic", "search-alpha", "search-no-cache", "search-model", "search-library", "search-idle"} {
		f.Lookup(name).Hidden = true
	}
}

// over puts what is given over the configuration.
func (s *searchFlags) over(settings *config.Search) {
	if s.semantic.value != "" {
		settings.Lexical = s.semantic.value == "off"
	}
	if s.alpha.given {
		settings.Alpha = &s.alpha.value
	}
	settings.NoCache = settings.NoCache || s.noCache
	settings.Idle = cmp.Or(time.Duration(s.idle), settings.Idle)
	settings.Model, settings.Library = cmp.Or(s.model, settings.Model), cmp.Or(s.library, settings.Library)
}

// resultFlags say which results are wanted.
type resultFlags struct {
	limit     limitFlag
	threshold ratioFlag
}

// add adds the flags with a prefix to their names.
func (r *resultFlags) add(f *pflag.FlagSet, prefix, limit, threshold string) {
	f.VarP(&r.limit, prefix+"limit", limit, "the most results (default 3)")
	f.VarP(&r.threshold, prefix+"threshold", threshold, "the lowest confidence of a result (default 0.35)")
	fromEnvironment(f, prefix+"limit", "TOOLSCRIPT_SEARCH_LIMIT")
	fromEnvironment(f, prefix+"threshold", "TOOLSCRIPT_SEARCH_THRESHOLD")
}

// over puts what is given over the configuration.
func (r *resultFlags) over(settings *config.Search) {
	if r.limit > 0 {
		settings.Limit = int(r.limit)
	}
	if r.threshold.given {
		settings.Threshold = &r.threshold.value
	}
}

// searchOptions are the settings as a system takes them. The warnings are about
// what of them cannot be had.
func (a *app) searchOptions(settings config.Search) (o actors.SearchOptions, warnings []string) {
	o = actors.SearchOptions{Limit: settings.Limit, Threshold: settings.Threshold, Alpha: settings.Alpha}
	if settings.Lexical {
		return o, nil
	}
	warnings = a.useModel(&o, settings)
	if o.Model != nil && !settings.NoCache {
		a.keepVectors(&o)
	}
	return o, warnings
}

// ratioFlag is a number from 0 to 1.
type ratioFlag struct {
	value float64
	given bool
}

func (r *ratioFlag) String() string {
	if !r.given {
		return ""
	}
	return strconv.FormatFloat(r.value, 'g', -1, 64)
}

func (r *ratioFlag) Type() string { return "0..1" }

func (r *ratioFlag) Set(text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return errors.New("want a number from 0 to 1")
	}
	*r = ratioFlag{value, true}
	return nil
}

// limitFlag is how many results are wanted.
type limitFlag int

func (l *limitFlag) String() string {
	if *l == 0 {
		return ""
	}
	return strconv.Itoa(int(*l))
}

func (l *limitFlag) Type() string { return "n" }

func (l *limitFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > index.MaxLimit {
		return errors.New("want a whole number from 1 to " + strconv.Itoa(index.MaxLimit))
	}
	*l = limitFlag(n)
	return nil
}
