package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/actors/server"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/internal/files"
)

// bundleRecord is the file beside an unpacked bundle that names the server of the bundle.
type bundleRecord struct {
	Server   string            `json:"server"`
	File     string            `json:"file"`    // path of the configuration file that has the server
	Bundle   string            `json:"bundle"`  // name in the manifest
	Release  string            `json:"release"` // version in the manifest
	Settings map[string]string `json:"settings,omitempty"`
	Secrets  []string          `json:"secrets,omitempty"`
	Replaced bool              `json:"replaced,omitempty"` // another bundle has replaced this one

	folder string // folder of the unpacked bundle
}

// records returns the records of the unpacked bundles.
func records(a *app.App) ([]bundleRecord, error) {
	folder, err := bundlesFolder(a)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []bundleRecord
	for _, e := range entries {
		name, is := strings.CutSuffix(e.Name(), ".json")
		r := bundleRecord{folder: filepath.Join(folder, name)}
		text, err := os.ReadFile(filepath.Join(folder, e.Name())) //nolint:gosec // G304: a file of this program
		if is && err == nil && json.Unmarshal(text, &r) == nil && r.Server != "" {
			all = append(all, r)
		}
	}
	return all, err
}

// newRecord returns the record of a bundle that is to be unpacked.
func newRecord(b *Bundle, name string, values *bundleValues) bundleRecord {
	r := bundleRecord{
		Server: name, Bundle: b.Manifest.Name, Release: b.Manifest.Release, folder: values.folder,
		Settings: map[string]string{}, Secrets: slices.Sorted(maps.Values(values.secrets)),
	}
	for setting, given := range values.settings {
		r.Settings[setting] = strings.Join(given, string(os.PathListSeparator))
	}
	return r
}

func (r bundleRecord) write() error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return files.Write(r.folder+".json", text)
}

func (r bundleRecord) file() clients.File {
	return clients.File{Path: r.File, Root: filepath.Dir(r.File)}
}

// used reports whether the server in the configuration runs from the folder, or the configuration
// cannot be read.
func (r bundleRecord) used() bool {
	has, err := clients.Mentions(r.file(), r.Server, r.folder)
	return has || err != nil
}

// earlierBundle returns the record of the bundle that a new bundle of the same name replaces; its folder
// is "" if there is none.
func (o *addOptions) earlierBundle(name string, b *Bundle) (bundleRecord, error) {
	file, err := o.target()
	if err != nil {
		return bundleRecord{}, err
	}
	all, err := records(o.App)
	for _, r := range all {
		if r.Server == name && r.File == file.Path && r.Bundle == b.Manifest.Name && r.used() {
			return r, err
		}
	}
	return bundleRecord{}, err
}

// settingsFor returns the given settings, and the earlier values of all others that the new bundle still has.
// Earlier secrets are not among them.
func (r bundleRecord) settingsFor(m *Manifest, given map[string]string) map[string]string {
	all := maps.Clone(r.Settings)
	maps.DeleteFunc(all, func(name, _ string) bool {
		s, known := m.UserConfig[name]
		return !known || s.Sensitive
	})
	if all == nil {
		return given
	}
	maps.Copy(all, given)
	return all
}

// free returns a Conflict if a configured server runs from the folder of r, unless that is the server of
// earlier.
func (r bundleRecord) free(a *app.App, earlier bundleRecord) error {
	all, err := records(a)
	for _, other := range all {
		if other.folder == r.folder && r.folder != earlier.folder && other.used() {
			return &toolscript.Error{Kind: toolscript.Conflict, Err: fmt.Errorf("%s has a bundle of the name %s; choose another name with --name", other.File, r.Server)}
		}
	}
	return err
}

// sweepBundles calls change, and then removes two kinds of bundles: those whose server change has removed from the
// configuration, and those that a newer bundle has replaced. Other bundles stay, because the file of a project may
// be absent only for a time.
func sweepBundles(ctx context.Context, o *app.ChangeOptions, change func() error) error {
	before, err := records(o.App)
	if err != nil {
		return err
	}
	before = slices.DeleteFunc(before, func(r bundleRecord) bool { return !r.Replaced && !r.used() })
	if err := change(); err != nil {
		return err
	}
	after, err := records(o.App)
	if err != nil {
		return err
	}
	var kept []string
	for _, r := range after {
		if r.used() {
			kept = append(kept, r.Secrets...)
		}
	}
	for _, r := range before {
		if r.used() {
			continue
		}
		r.Secrets = slices.DeleteFunc(r.Secrets, func(name string) bool { return slices.Contains(kept, name) })
		if err := r.remove(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// remove removes the files and the secrets of a bundle, and the stored list of tools of its server.
func (r bundleRecord) remove(ctx context.Context, o *app.ChangeOptions) error {
	if err := removeBundle(r.folder); err != nil {
		return err
	}
	o.Say("removed the files of the bundle %s of %s", r.Release, r.Server)
	_ = os.Remove(filepath.Dir(r.folder)) // fails if the folder is not empty
	if has, err := clients.HasServer(r.file(), r.Server); err == nil && !has {
		server.ToolLists(o.Host.Cache("tools")).Forget(r.Server, r.File)
	}
	return removeSecretsOf(ctx, o.App, r)
}

// replaceBundle returns the change that gives the server of an earlier bundle the definition of a new one.
func replaceBundle(file clients.File, name string, definition json.RawMessage) (*clients.Change, error) {
	return clients.ReplaceServer(file, name, definition, "args", "env")
}
