package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/mcpclient"
)

// Load reads all files and merges them: a later server replaces an earlier one
// of its name whole, a later setting an earlier setting. A file that does not
// exist counts as empty. What is wrong with any file is returned as Mistakes in
// an error of kind invalid, and nothing is loaded then.
func Load(o Options) (*Config, error) {
	files, err := Locate(o)
	if err != nil {
		return nil, err
	}
	l := loader{options: o, config: &Config{Servers: map[string]mcpclient.Config{}}}
	for _, file := range files {
		if err := l.load(&file); err != nil {
			return nil, err
		}
		l.config.Files = append(l.config.Files, file)
	}
	if len(l.mistakes) > 0 {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: l.mistakes}
	}
	return l.config, nil
}

// loader collects what one file after the other says.
type loader struct {
	options  Options
	config   *Config
	mistakes Mistakes
}

func (l *loader) load(file *File) error {
	text, err := read(*file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if file.Named {
			l.warn("%s does not exist", file.Path)
		}
		return nil
	case err != nil:
		l.warn("%v; going on without it", err)
		return nil
	}
	file.Found = true
	file.Trusted = l.trusted(*file, text)
	d, err := parse(file.Path, text)
	if err != nil {
		return l.mistake(err)
	}
	l.expand(d, *file)
	mistakes, unknown := d.validate()
	l.mistakes = append(l.mistakes, mistakes...)
	l.report(d.repetitions())
	l.report(unknown)
	if len(mistakes) > 0 {
		return nil
	}
	return l.merge(d, *file)
}

func (l *loader) warn(format string, args ...any) {
	l.config.Warnings = append(l.config.Warnings, fmt.Sprintf(format, args...))
}

func (l *loader) report(warnings Mistakes) {
	for _, m := range warnings {
		l.warn("%v", m)
	}
}

// mistake keeps a mistake for the end, so that one run shows those of all files.
func (l *loader) mistake(err error) error {
	var m *Mistake
	if !errors.As(err, &m) {
		return err
	}
	l.mistakes = append(l.mistakes, m)
	return nil
}

func (l *loader) trusted(file File, text []byte) bool {
	if !file.Project || l.options.Trust {
		return true
	}
	dir, err := DataDir(l.options)
	return err == nil && Trusted(dir, file.Path, text)
}

// expand expands the variables of what takes effect. Those of a file that is not
// trusted stay: an address with a secret in it would give the secret away.
func (l *loader) expand(d *document, file File) {
	var lookup variables = l.options.lookupEnv
	if !file.Trusted {
		lookup = nil
	}
	for _, name := range append([]string{"mcpServers"}, settingNames...) {
		if n := d.root.child(name); n != nil {
			n.expand(lookup)
		}
	}
}

// merge puts a valid file over the earlier ones. The servers of a file that is
// not trusted stand in for earlier ones too: a script written for the project
// must not reach another server of that name, say the production database.
func (l *loader) merge(d *document, file File) error {
	for name, n := range d.root.child("mcpServers").children() {
		c, err := l.options.server(n, file)
		if err != nil {
			return err
		}
		c.Problem = l.options.problem(name, n, file)
		l.config.Servers[name] = c
		l.report(d.idleFields(name, n))
	}
	if !file.Trusted {
		l.warn("%s is not trusted: its servers are not started and its settings have no effect; run: toolscript trust", file.Path)
		return nil
	}
	for _, name := range settingNames {
		l.report(d.unsetSettings(name))
	}
	l.config.Settings.apply(d.root)
	return nil
}

// maxSize is far more than a configuration needs. It bounds the memory that
// somebody else's file can take.
const maxSize = 1 << 20

// read reads a whole file. Only a file that the user named may be something
// else than a regular file, such as a pipe of the shell: opening a pipe that a
// repository brings could wait for ever.
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
