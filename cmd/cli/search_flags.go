package cli

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolscript/toolscript/actors/search/index"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
)

// searchFlags say how a gateway of this command finds tools. What is not given
// is left to the configuration.
type searchFlags struct {
	semantic choiceFlag
	alpha    ratioFlag
	noCache  bool
	model    string
	library  string
	device   choiceFlag
	idle     durationFlag

	set *pflag.FlagSet // the flags of the command
}

func (s *searchFlags) add(f *pflag.FlagSet) {
	s.set = f
	s.semantic.choices = []string{"on", "off"}
	f.Var(&s.semantic, "search-semantic", "find tools by meaning and by words; off means by words only (default on)")
	f.Var(&s.alpha, "search-alpha", "the weight of the meaning in a score (default 0.7)")
	f.BoolVar(&s.noCache, "search-no-cache", false, "do not cache embeddings")
	f.StringVar(&s.model, "search-model", "", "the model: minilm, which is part of toolscript, or the path of a .gguf file (default minilm)")
	f.StringVar(&s.library, "search-library", "", "`folder` of libllama_go.so, for a .gguf file (default that of toolscript-llama)")
	s.device.choices = []string{"auto", "cpu", daemon.DeviceWebGPU}
	f.Var(&s.device, "search-device", "the device of the model; webgpu is accepted and means the processor (default auto)")
	f.Var(&s.idle, "search-idle", "how long the embedded model stays in memory without a search (default 2m)")
	fromEnvironment(f, "search-device", "TOOLSCRIPT_SEARCH_DEVICE")
	fromEnvironment(f, "search-idle", "TOOLSCRIPT_SEARCH_IDLE")
	fromEnvironment(f, "search-model", "TOOLSCRIPT_SEARCH_MODEL")
	fromEnvironment(f, "search-library", "TOOLSCRIPT_SEARCH_LIBRARY")
	fromEnvironment(f, "search-semantic", "TOOLSCRIPT_SEARCH_SEMANTIC")
	fromEnvironment(f, "search-alpha", "TOOLSCRIPT_SEARCH_ALPHA")
	fromEnvironment(f, "search-no-cache", "TOOLSCRIPT_SEARCH_NO_CACHE")
}

// warnUnused warns about flags on the command line that have no effect because a running
// gateway answers.
func (s *searchFlags) warnUnused(a *app) {
	if s.set == nil { // the command has no such flags
		return
	}
	var names []string
	s.set.VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix(f.Name, "search-") && typed(f) {
			names = append(names, "--"+f.Name)
		}
	})
	if len(names) > 0 {
		a.warn("no effect: %s; the running gateway uses the flags that it was started with", strings.Join(names, ", "))
	}
}

// hide removes the flags from the help of a command with another purpose.
func (s *searchFlags) hide(f *pflag.FlagSet) {
	for _, name := range []string{"search-semantic", "search-alpha", "search-no-cache", "search-model", "search-library", "search-device", "search-idle"} {
		f.Lookup(name).Hidden = true
	}
}

// over applies the flags to the settings of the files.
func (s *searchFlags) over(settings *config.Search) {
	if s.semantic.value != "" {
		settings.Lexical = s.semantic.value == "off"
	}
	if s.alpha.given {
		settings.Alpha = &s.alpha.value
	}
	settings.NoCache = settings.NoCache || s.noCache
	settings.Device = s.device.value
	settings.Idle = cmp.Or(time.Duration(s.idle), settings.Idle)
	settings.Model, settings.Library = cmp.Or(s.model, settings.Model), cmp.Or(s.library, settings.Library)
}

// resultFlags select the results.
type resultFlags struct {
	limit     limitFlag
	threshold ratioFlag
}

// add adds the flags with a prefix.
func (r *resultFlags) add(f *pflag.FlagSet, prefix, limit, threshold string) {
	f.VarP(&r.limit, prefix+"limit", limit, "the maximum number of results (default 3)")
	f.VarP(&r.threshold, prefix+"threshold", threshold, "the minimum confidence of a tool without the words of the query (default 0.35)")
	fromEnvironment(f, prefix+"limit", "TOOLSCRIPT_SEARCH_LIMIT")
	fromEnvironment(f, prefix+"threshold", "TOOLSCRIPT_SEARCH_THRESHOLD")
}

// over applies the flags to the settings of the files.
func (r *resultFlags) over(settings *config.Search) {
	if r.limit > 0 {
		settings.Limit = int(r.limit)
	}
	if r.threshold.given {
		settings.Threshold = &r.threshold.value
	}
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

// limitFlag is a number of results.
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
