package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/upstream"
)

// Load reads all files and merges them: a later server replaces an earlier server of the same
// name, and a later setting replaces an earlier one. A missing file counts as empty, unless the
// user named it. A mistake disables the server or the setting that has it; see Config.Mistakes.
// If a file is not valid JSON, or has a mistake in a setting that restricts what scripts may
// do, Load returns an error of kind invalid that wraps Mistakes, and loads nothing.
func Load(o Options) (*Config, error) {
	files, err := Locate(o)
	if err != nil {
		return nil, err
	}
	l := loader{options: o, config: &Config{Servers: map[string]upstream.Config{}}, awake: map[string]bool{}}
	if o.Identify {
		l.config.Identities = map[string]Identity{}
	}
	for _, file := range files {
		if err := l.load(&file); err != nil {
			return nil, err
		}
		l.config.Files = append(l.config.Files, file)
	}
	if err := l.ofUser(files); err != nil {
		return nil, err
	}
	if err := l.addExtra(); err != nil {
		return nil, err
	}
	l.serveFleet()
	l.serveScripts()
	l.rest()
	l.startupTimes()
	l.finishProfiles()
	if l.failed {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: l.config.Mistakes}
	}
	return l.config, nil
}

// loader reads and merges the files.
type loader struct {
	options Options
	config  *Config
	failed  bool // because of a mistake, nothing is loaded

	userApproves bool // the user's file has approvals
	joined       bool // a file has set the fleet

	secrets secretSource

	idle  time.Duration   // defaults.idle; 0: none
	awake map[string]bool // servers with idle: false

	startup time.Duration // defaults.startupTimeout; 0: none

	profileAt func(message string) *Mistake // makes a mistake at the default profile; nil: no default profile
}

func (l *loader) load(file *File) error {
	text, err := read(*file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if file.Named && !l.options.Missing {
			return &toolscript.Error{
				Kind: toolscript.NotFound,
				Err:  fmt.Errorf("%s does not exist; it is named by --config or TOOLSCRIPT_CONFIG", file.Path),
			}
		}
		if !file.Project {
			l.scripts(*file, effect{all: true})
		}
		return nil
	case err != nil && l.options.Strict:
		return err
	case err != nil:
		l.warn("%v; the file is ignored", err)
		return nil
	}
	file.Found = true
	d, err := parse(file.Path, text)
	if err != nil {
		return l.mistake(err)
	}
	effect := l.effect(*file, d)
	file.Trusted, file.Ignored = effect.whole(), !effect.settings()
	l.expand(d, effect)
	v := d.validate()
	l.config.Mistakes = append(l.config.Mistakes, v.mistakes...)
	l.report(d.repetitions())
	l.report(v.warnings)
	l.remarkPlugin(*file, d)
	if v.whole(effect.settings()) {
		l.failed = true
		return nil
	}
	return l.merge(d, *file, effect, v)
}

func (l *loader) warn(format string, args ...any) {
	l.config.Warnings = append(l.config.Warnings, fmt.Sprintf(format, args...))
}

func (l *loader) report(warnings Mistakes) {
	for _, m := range warnings {
		l.warn("%v", m)
	}
}

// mistake collects a mistake, so that one run reports the mistakes of all files. It returns any other error.
func (l *loader) mistake(err error) error {
	m, is := errors.AsType[*Mistake](err)
	if !is {
		return err
	}
	l.fail(m)
	return nil
}

// fail collects a mistake because of which nothing is loaded.
func (l *loader) fail(m *Mistake) {
	l.config.Mistakes, l.failed = append(l.config.Mistakes, m), true
}

// expand expands the variables of the trusted parts. References in other parts stay: an
// address with a secret would send the secret.
func (l *loader) expand(d *document, e effect) {
	lookup := func(trusted bool) variables {
		if !trusted {
			return nil
		}
		return l.options.variable
	}
	l.expandServers(d, e, lookup)
	for _, name := range expandedSettings() {
		if n := d.root.child(name); n != nil {
			n.expand(lookup(e.setting(name)), nil)
		}
	}
}

// expandedSettings returns the top-level fields, besides mcpServers, that may refer to variables.
func expandedSettings() []string {
	return append([]string{"hub", "fleet", "defaults"}, settingNames...)
}

// merge lays the valid parts of a file over the earlier files.
func (l *loader) merge(d *document, file File, e effect, v verdict) error {
	l.mergeServers(d, file, e, v)
	d.root.remove(v.settings())
	if _, broken := v.broken[part{key: "fleet"}]; broken && !file.Project {
		l.joined = true // no fleet of another file takes its place
	}
	l.scripts(file, e)
	l.distrust(d, file, e)
	if err := l.joinFleet(d, file); err != nil {
		return err
	}
	l.keep(d, file)
	if !e.settings() {
		return nil
	}
	for _, name := range settingNames {
		l.report(d.unsetSettings(name))
	}
	l.config.Settings.apply(d.root)
	l.defaults(d)
	l.profiles(d)
	l.approve(d, file)
	l.audit(d, file)
	l.pin(d, file)
	if n := d.root.child("search").child("remote"); n != nil && l.config.Settings.Search.Model != "" {
		l.report(Mistakes{d.mistake([]string{"search", "remote"}, n.key, "has no effect together with search.model")})
	}
	return nil
}

// mergeServers lays the servers of a file over the earlier ones. Servers that are not
// trusted or have mistakes also replace earlier servers: a script of the project must not
// reach another server of the same name, such as the production database.
func (l *loader) mergeServers(d *document, file File, e effect, v verdict) {
	packs := merged(l.config.Settings.ToolPacks, d.root.child("toolPacks")) // a file cannot change the servers of an earlier one
	l.replaceAccounts(d, e)
	for name, n := range d.root.child(serversKey).children() {
		mistakes, wrong := v.server(name)
		if wrong && (n.misnamed || mustNotBe(name)) {
			continue
		}
		var c upstream.Config
		problem := l.options.problem(name, n, e.server(name))
		if !wrong {
			var found []finding
			c, found = l.options.server(n, name, file, packs)
			broken := v.commands(name)
			if problem == nil && !c.Disabled {
				found = append(found, l.options.wrongTogether(name, n)...)
			}
			mistakes = d.report(found)
			wrong = len(found) > 0
			l.config.Mistakes = append(l.config.Mistakes, mistakes...)
			if len(broken) > 0 && !wrong {
				c.Commands = without(c.Commands, broken)
				wrong, mistakes = c.Commands == nil, slices.Concat(slices.Collect(maps.Values(broken))...)
			}
		}
		if wrong {
			c = misconfigured(name, n, file, mistakes)
		} else {
			l.report(d.idleFields(name, n))
		}
		if problem != nil && (!wrong || !e.server(name)) {
			c.Problem = problem
		}
		if _, replaces := l.config.Servers[name]; replaces && !e.server(name) {
			l.config.Hidden = append(l.config.Hidden, name)
		}
		l.config.Servers[name] = c
		l.ask(name, n)
		l.awake[name] = n.child("idle") != nil && c.Idle == 0
	}
}

// maxSize is the maximum size of a file in bytes, far more than a configuration needs.
const maxSize = 1 << 20

// read reads a whole file. It refuses anything but a regular file, unless the user named
// the file: opening a pipe in a repository could block forever.
func read(file File) ([]byte, error) {
	info, err := os.Stat(file.Path)
	if err != nil {
		return nil, err
	}
	if !file.Named && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", file.Path)
	}
	f, err := os.Open(file.Path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("%s is larger than %d KiB", file.Path, maxSize>>10)
	}
	return text, nil
}
