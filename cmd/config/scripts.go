package config

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/internal/naming"
	"github.com/toolscript/toolscript/transport/upstream"
)

const (
	// ScriptExtension is the extension of the file of a saved script.
	ScriptExtension = ".ts"

	// MaxScript is the maximum size of a saved script in bytes; maxScripts is the maximum
	// number of scripts in a folder.
	MaxScript  = 256 << 10
	maxScripts = 200

	// Calls of saved scripts are bounded by the limits of runs alone: a script that waits
	// for a call of another script must not take its place.
	scriptTimeout     = 24 * time.Hour
	scriptConcurrency = 1 << 16
)

// SavedScript is a saved script of a configuration file.
type SavedScript struct {
	toolscript.SavedScript
	File    File // the configuration file that the script belongs to
	Trusted bool
}

// ScriptsDir returns the folder of the saved scripts of a configuration file.
func ScriptsDir(file File) string {
	return filepath.Join(filepath.Dir(file.Path), ".toolscript", "scripts")
}

// CheckScriptName returns an error if a saved script cannot have the name.
func CheckScriptName(name string) error {
	switch {
	case !toolscript.IsScriptName(name):
		return fmt.Errorf("%.80q cannot be the name of a script: a name begins with a small letter and has only letters and digits, such as weeklyReport", name)
	case naming.Identifier(name) != name || name == naming.Spawn:
		return fmt.Errorf("%q cannot be the name of a script: JavaScript or toolscript gives it a meaning of its own", name)
	}
	return nil
}

// scriptsProject returns the folder beneath which the saved scripts of a file must be.
func scriptsProject(file File) files.Folder {
	if !file.Project {
		return files.Folder{}
	}
	return files.Folder{Dir: filepath.Dir(file.Path)}
}

// readScripts reads the saved scripts of a configuration file, sorted by name. skipped
// lists the files that are not scripts, with the reasons. A missing folder has no scripts.
func readScripts(file File) (found []toolscript.SavedScript, skipped []string) {
	dir := ScriptsDir(file)
	if err := checkScriptsDir(file); err != nil {
		return nil, []string{err.Error()}
	}
	root, err := scriptsProject(file).Root(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer func() { _ = root.Close() }() // it was only read
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, []string{err.Error()}
	}
	for _, entry := range entries {
		name, is := strings.CutSuffix(entry.Name(), ScriptExtension)
		if !is || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".d") {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		if err := CheckScriptName(name); err != nil {
			skipped = append(skipped, fmt.Sprintf("%s: %v", printable(path), err))
			continue
		}
		if len(found) == maxScripts {
			skipped = append(skipped, fmt.Sprintf("%s has more than %d scripts; the others are ignored", dir, maxScripts))
			break
		}
		code, err := readScript(root, entry.Name())
		if err != nil {
			skipped = append(skipped, fmt.Sprintf("%s %v", path, err))
			continue
		}
		found = append(found, toolscript.SavedScript{Name: name, Path: path, Code: code})
	}
	return found, skipped
}

// checkScriptsDir returns an error if the folder of a project's saved scripts, or its
// parent, is a link: it could lead to the user's own scripts, which need no trust.
func checkScriptsDir(file File) error {
	if !file.Project {
		return nil
	}
	dir := ScriptsDir(file)
	for _, at := range []string{filepath.Dir(dir), dir} {
		info, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is not a folder; a link is not followed", at)
		}
	}
	return nil
}

// readScript reads a regular file of a folder. Even if a link takes the place of the file
// meanwhile, the read stays in the folder.
func readScript(root *os.Root, name string) (string, error) {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("is not a regular file")
	case info.Size() > MaxScript:
		return "", fmt.Errorf("is larger than %d KiB, the limit for saved scripts", MaxScript>>10)
	}
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // it was only read
	code, err := io.ReadAll(io.LimitReader(file, MaxScript))
	return string(code), err
}

// scripts adds the saved scripts of a file. A script of a project replaces the user's
// script of the same name even if it is not trusted.
func (l *loader) scripts(file File, e effect) {
	found, skipped := readScripts(file)
	for _, why := range skipped {
		l.warn("%s; the script is ignored", why)
	}
	var untrusted []string
	for _, s := range found {
		one := SavedScript{SavedScript: s, File: file, Trusted: e.script(s)}
		if !one.Trusted {
			untrusted = append(untrusted, s.Name)
		}
		l.config.Scripts = slices.DeleteFunc(l.config.Scripts, func(old SavedScript) bool { return old.Name == s.Name })
		l.config.Scripts = append(l.config.Scripts, one)
	}
	if len(untrusted) > 0 {
		l.warn("%s: saved scripts have no effect, because you have not trusted them as they are now: %s; run: toolscript trust",
			file.Path, strings.Join(untrusted, ", "))
	}
	slices.SortFunc(l.config.Scripts, func(a, b SavedScript) int { return strings.Compare(a.Name, b.Name) })
}

// serveScripts makes the trusted scripts available as the tools of a server.
func (l *loader) serveScripts() {
	delete(l.config.Servers, toolscript.ScriptsServer)
	c := upstream.Config{Type: upstream.Scripts, Timeout: scriptTimeout, Concurrency: scriptConcurrency}
	for _, s := range l.config.Scripts {
		if s.Trusted {
			c.Scripts = append(c.Scripts, s.SavedScript)
			c.Source = s.File.Path
		}
	}
	if len(c.Scripts) > 0 {
		l.config.Servers[toolscript.ScriptsServer] = c
	}
}

// script reports whether a script is trusted.
func (e effect) script(s toolscript.SavedScript) bool {
	return e.all || e.grant != nil && e.grant.Scripts[s.Name] == s.Code
}

// addScripts adds the saved scripts of a project to the definitions that need trust.
func (d *definitions) addScripts(file File) {
	found, _ := readScripts(file)
	d.scripts = map[string]string{}
	for _, s := range found {
		d.scripts[s.Name] = s.Code
	}
}

// scripts reports whether the user trusts all of these scripts.
func (g *grant) scripts(all map[string]string) bool {
	for name, code := range all {
		if trusted, known := g.Scripts[name]; !known || trusted != code {
			return false
		}
	}
	return true
}

// scriptsDiff shows the scripts that are not trusted as a diff.
func (d definitions) scriptsDiff(before *grant) string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.scripts)) {
		if trusted, known := before.Scripts[name]; !known || trusted != d.scripts[name] {
			out.WriteString(LineDiff(scriptText(name, trusted, known), scriptText(name, d.scripts[name], true)))
		}
	}
	return out.String()
}

func scriptText(name, code string, known bool) string {
	if !known {
		return ""
	}
	return "script " + name + ":\n" + strings.TrimSuffix(code, "\n")
}

// TrustScript trusts the text of a saved script. It returns false, and stores nothing, if
// nothing of the project's file is trusted: the script then has no effect.
func TrustScript(o Options, s SavedScript) (bool, error) {
	if !s.File.Project {
		return true, nil
	}
	dir, err := DataDir(o)
	if err != nil {
		return false, err
	}
	unlock, err := files.LockFolder(context.Background(), trustDir(dir))
	if err != nil {
		return false, cannotRecord(s.File.Path, err)
	}
	defer unlock()
	g, err := readGrant(dir, s.File.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, cannotRecord(s.File.Path, err)
	}
	scripts := maps.Clone(g.Scripts)
	if scripts == nil {
		scripts = map[string]string{}
	}
	scripts[s.Name] = s.Code
	g.Scripts = scripts
	return true, g.write(dir)
}

// WriteScript writes the file of a saved script. An existing file is an error of kind
// Conflict, unless replace is set.
func WriteScript(s SavedScript, replace bool) error {
	dir := filepath.Dir(s.Path)
	folderMode, fileMode := fs.FileMode(0o700), fs.FileMode(0o600)
	if s.File.Project || s.File.Named {
		folderMode, fileMode = 0o755, 0o644 // other users may work in the project
	}
	if err := checkScriptsDir(s.File); err != nil {
		return err
	}
	held, err := makeScriptsDir(s.File, dir, folderMode)
	if err != nil {
		return err
	}
	defer held.Close()
	if !replace {
		if _, err := os.Lstat(s.Path); err == nil {
			return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s exists; replace it with --force", s.Path)}
		}
	}
	path := filepath.Join(held.Path(), filepath.Base(s.Path))
	if err := files.WriteSynced(path, []byte(s.Code)); err != nil {
		return err
	}
	return os.Chmod(path, fileMode)
}

// makeScriptsDir creates a folder for scripts, beneath the project's folder if the file belongs to a project.
func makeScriptsDir(file File, dir string, mode fs.FileMode) (files.Held, error) {
	project := scriptsProject(file)
	if !project.Has(dir) {
		if err := os.MkdirAll(dir, mode); err != nil {
			return files.Held{}, err
		}
		return project.Hold(dir)
	}
	root, err := os.OpenRoot(project.Dir)
	if err != nil {
		return files.Held{}, err
	}
	defer func() { _ = root.Close() }() // every file in it is closed
	rel, err := filepath.Rel(project.Dir, dir)
	if err == nil {
		err = root.MkdirAll(rel, mode)
	}
	if err != nil {
		return files.Held{}, err
	}
	return project.Hold(dir)
}
