package setup

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/clients"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/secrets"
	"github.com/toolscript/toolscript/cmd/terminal"
	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// versionTime bounds the run of a program that prints its version.
const versionTime = 10 * time.Second

// isBundle reports whether a word names an MCPB file.
func isBundle(word string) bool {
	extension := strings.ToLower(filepath.Ext(word))
	return extension == ".mcpb" || extension == ".dxt"
}

// bundlesFolder is the folder of unpacked bundles.
func bundlesFolder(a *app.App) (string, error) {
	data, err := config.DataDir(a.Host.ConfigOptions(false))
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "bundles"), nil
}

// addBundle unpacks a bundle below the data folder and adds its server. from names the bundle in messages and in the
// definition: a path, or the identifier in the registry.
func (o *addOptions) addBundle(ctx context.Context, file, from string, words []string) (err error) {
	given, err := pairsOf(words)
	if err != nil {
		return app.Usage(o.self.CommandPath(), "%v", err)
	}
	b, err := OpenBundle(o.Absolute(file))
	if _, is := errors.AsType[*otherSystemError](err); is {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s: %w", from, err)}
	}
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s: %w", from, err)}
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	name := cmp.Or(o.name, localName(b.Manifest.Name))
	folder, err := bundlesFolder(o.App)
	if err != nil {
		return err
	}
	earlier, err := o.earlierBundle(name, b)
	if err != nil {
		return err
	}
	values, needed, err := o.settings(ctx, &b.Manifest, name, given, earlier)
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Invalid, Err: fmt.Errorf("%s: %w", from, err)}
	}
	digest, err := b.digest()
	if err != nil {
		return err
	}
	values.folder = filepath.Join(folder, folderName(name)+"-"+digest[:8]) // another bundle has another folder
	definition, err := b.Manifest.definition(values, func(program string) (string, error) { return runtimeVersion(ctx, program, o.Env) })
	if err != nil {
		return &toolscript.Error{Kind: toolscript.Unsupported, Err: fmt.Errorf("%s: %w", from, err)}
	}
	o.secrets, o.earlier = len(needed) > 0, earlier
	return o.installBundle(ctx, b, newRecord(b, name, values), Choice{Kind: "mcpb", From: from, Definition: definition, Needed: needed})
}

// installBundle shows the change, and unpacks the bundle when the user has agreed.
func (o *addOptions) installBundle(ctx context.Context, b *Bundle, record bundleRecord, choice Choice) error {
	o.name = record.Server
	plan, err := o.plan(Entry{}, choice)
	if err != nil {
		return err
	}
	plan.Taken[0].Client, plan.Taken[0].From = choice.Kind, b.Manifest.Name+"@"+b.Manifest.Release
	o.describeBundle(b, choice)
	earlier := o.earlier
	switch {
	case len(plan.Changes) == 0:
		o.Say("the configuration has this server already")
		return nil
	case earlier.folder != "" && earlier.folder != record.folder:
		o.row("replaces:", "%s %s, whose files stay for add --undo until another bundle is added or removed", earlier.Bundle, earlier.Release)
	}
	record.File = plan.Taken[0].To
	if err := record.free(o.App, earlier); err != nil {
		return err
	}
	agreed, unpacked, unlock := false, false, func() {}
	defer func() { unlock() }()
	o.Begin = func() (err error) {
		if unlock, err = lockBundles(ctx, record.folder); err != nil {
			return err
		}
		if err := record.free(o.App, earlier); err != nil { // checked again, because time has passed until the answer of the user
			return err
		}
		if agreed = true; earlier.folder == record.folder { // only the settings change
			return nil
		}
		unpacked = true
		return sweepBundles(ctx, &o.ChangeOptions, func() error { return b.install(ctx, record) })
	}
	if err := o.CarryOut(ctx, "add", o.With("--yes"), plan); err != nil {
		if unpacked && !record.used() {
			err = errors.Join(err, removeBundle(record.folder))
		}
		return err
	}
	switch {
	case agreed && !unpacked:
		err = record.write()
	case unpacked && earlier.folder != "":
		earlier.Replaced = true
		err = earlier.write()
	}
	if err != nil {
		return err
	}
	unlock()
	return o.prepareServer(ctx, plan, choice)
}

// lockBundles waits until no other process unpacks a bundle, because it could be the same bundle.
func lockBundles(ctx context.Context, folder string) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return func() {}, err
	}
	unlock, err = files.LockTransient(ctx, filepath.Join(filepath.Dir(folder), ".lock"))
	if err != nil {
		return func() {}, err
	}
	return sync.OnceFunc(unlock), nil
}

// install unpacks the bundle. It first removes what an interrupted attempt has left.
func (b *Bundle) install(ctx context.Context, record bundleRecord) error {
	folder := record.folder
	if err := removeBundle(folder); err != nil {
		return err
	}
	if err := record.write(); err != nil { // first, so that the folder is never without a record
		return err
	}
	if err := b.Unpack(ctx, folder); err != nil {
		return fmt.Errorf("unpack the bundle: %w", err)
	}
	return nil
}

func removeBundle(folder string) error {
	err := os.Remove(folder + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(os.RemoveAll(folder), err)
}

// removeSecretsOf removes the secrets that only the server of a bundle has. Another file may have a server of the
// same name.
func removeSecretsOf(ctx context.Context, a *app.App, r bundleRecord) error {
	store, err := secretStore(a)
	if err != nil || len(r.Secrets) == 0 {
		return err
	}
	book, err := store.Read()
	if err != nil {
		return err
	}
	for _, name := range r.Secrets {
		s, found := book.Find(name)
		if !found || slices.ContainsFunc(s.Allowed, func(b secrets.Binding) bool { return b.Server != r.Server || b.File != r.File }) {
			continue
		}
		if _, _, err := store.Remove(ctx, name); err != nil {
			return err
		}
		a.Say("removed the secret %s", name)
	}
	return nil
}

// describeBundle shows the manifest of a bundle, and the permissions of its server.
func (o *addOptions) describeBundle(b *Bundle, c Choice) {
	m := b.Manifest
	o.row("bundle:", "%s %s: %s", cmp.Or(m.DisplayName, m.Name), m.Release, short(m.Description))
	if isAddress(c.From) {
		o.row("package:", "%s", c.From)
	}
	o.row("author:", "%s, as the bundle says; signatures are not checked", m.Author.Name)
	o.row("permissions:", "%s", permissions["npm"])
	for _, v := range c.Needed {
		o.row("needs:", "%s (secret)%s", v.Name, about(v))
	}
}

// runtimeVersion finds a program in PATH and returns what it prints as its version.
func runtimeVersion(ctx context.Context, program string, env []string) (string, error) {
	path, err := upstream.LookPath(program, env)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, versionTime)
	defer cancel()
	c := exec.CommandContext(ctx, path, "--version") //nolint:gosec // G204: node, python or uv
	c.Env = env
	out, err := c.Output()
	if err != nil {
		return "", nil // its version is not known
	}
	return strings.TrimSpace(string(out)), nil
}

var noName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^a-z0-9]+`) })

// localName makes the name of a server from the name of a bundle.
func localName(name string) string {
	return cmp.Or(strings.Trim(noName().ReplaceAllString(strings.ToLower(name), "-"), "-"), "bundle")
}

// folderName returns the name of the folder of a server's bundle. The name of a server may contain any characters,
// even a path.
func folderName(server string) string {
	name := localName(server)
	if name == server && filepath.IsLocal(name) {
		return name
	}
	sum := sha256.Sum256([]byte(server))
	return name + "-" + hex.EncodeToString(sum[:4])
}

// settings returns the values of user_config: given as KEY=VALUE, typed at the terminal, or the default. Sensitive
// values become secrets.
func (o *addOptions) settings(ctx context.Context, m *Manifest, serverName string, given map[string]string, earlier bundleRecord) (*bundleValues, []Variable, error) {
	places, err := clients.FindPlaces(o.Dir, o.LookupEnv)
	if err != nil {
		return nil, nil, err
	}
	v := &bundleValues{home: places.Home, declared: m.UserConfig, settings: map[string][]string{}, secrets: map[string]string{}}
	for name := range given {
		if _, known := m.UserConfig[name]; !known {
			return nil, nil, fmt.Errorf("the bundle has no setting %q; it has: %s", name, strings.Join(slices.Sorted(maps.Keys(m.UserConfig)), ", "))
		}
	}
	given = earlier.settingsFor(m, given)
	var needed []Variable
	for _, name := range slices.Sorted(maps.Keys(m.UserConfig)) {
		s := m.UserConfig[name]
		text, isGiven := given[name]
		switch {
		case s.Sensitive && isGiven:
			return nil, nil, fmt.Errorf("%s is a secret, and other programs see arguments; leave it out, and store it afterwards", name)
		case s.Sensitive:
			stored := secretName(serverName, name)
			has := slices.Contains(earlier.Secrets, stored)
			if has || s.Required || o.wantsSecret(ctx, name, s) {
				v.secrets[name] = stored
			}
			if !has && v.secrets[name] != "" {
				needed = append(needed, Variable{Name: stored, Secret: true, Required: s.Required, Description: strings.TrimSpace(s.Title + " " + s.Description)})
			}
			continue
		case !isGiven:
			if text, err = o.askSetting(ctx, name, s, v); err != nil {
				return nil, nil, err
			}
		}
		if v.settings[name], err = o.settingValues(name, s, text); err != nil {
			return nil, nil, err
		}
	}
	return v, needed, nil
}

// wantsSecret asks whether the user has a secret that is not required.
func (o *addOptions) wantsSecret(ctx context.Context, name string, s UserSetting) bool {
	if !o.canAsk() {
		return false
	}
	has, _ := o.Agrees(ctx, fmt.Sprintf("%s%s: do you have this secret?", name, described(s))) // without an answer, the bundle gets no such secret
	return has
}

func (o *addOptions) canAsk() bool { return !o.Yes && !o.Form.Structured() && terminal.Is(o.Stdin) }

func described(s UserSetting) string {
	if text := strings.TrimSpace(s.Title + " " + s.Description); text != "" {
		return " (" + short(text) + ")"
	}
	return ""
}

// askSetting returns the value that the user types, else the default.
func (o *addOptions) askSetting(ctx context.Context, name string, s UserSetting, v *bundleValues) (string, error) {
	fallback, err := defaultOf(s, v)
	if err != nil {
		return "", fmt.Errorf("the default of %s: %w", name, err)
	}
	if o.canAsk() {
		answer, err := o.Ask(ctx, fmt.Sprintf("%s%s [%s]: ", name, described(s), terminal.OneLine(fallback)))
		if err != nil {
			return "", err
		}
		if answer = strings.TrimSpace(answer); answer != "" {
			return answer, nil
		}
	}
	if fallback == "" && s.Required {
		return "", fmt.Errorf("it needs a value for %s%s; give it as %s=VALUE", name, described(s), name)
	}
	return fallback, nil
}

// defaultOf returns the default of a setting as text. Several values are separated as in PATH.
func defaultOf(s UserSetting, v *bundleValues) (string, error) {
	var all []string
	switch value := s.Default.(type) {
	case nil:
	case []any:
		for _, one := range value {
			all = append(all, fmt.Sprint(one))
		}
	case float64:
		all = append(all, strconv.FormatFloat(value, 'f', -1, 64))
	default:
		all = append(all, fmt.Sprint(value))
	}
	for i, text := range all {
		for _, found := range bundleReference().FindAllStringSubmatch(text, -1) {
			place, ok := v.place(found[1])
			if !ok || found[1] == "__dirname" {
				return "", fmt.Errorf("the reference %.80s is not known", found[0])
			}
			text = strings.ReplaceAll(text, found[0], place)
		}
		all[i] = text
	}
	return strings.Join(all, string(os.PathListSeparator)), nil
}

// settingValues checks a value and returns it. A setting with multiple may have several values.
func (o *addOptions) settingValues(name string, s UserSetting, text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	switch s.Type {
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || s.Min != nil && n < *s.Min || s.Max != nil && n > *s.Max {
			return nil, fmt.Errorf("%s=%.40s is not a number between its bounds", name, text)
		}
	case "boolean":
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%s is true or false, not %.40q", name, text)
		}
	case "directory", "file":
		var all []string
		for one := range strings.SplitSeq(text, string(os.PathListSeparator)) {
			path := o.Absolute(one)
			info, err := os.Stat(path)
			if err != nil || info.IsDir() != (s.Type == "directory") {
				return nil, fmt.Errorf("%s: there is no %s %s", name, s.Type, path)
			}
			all = append(all, path)
		}
		if len(all) > 1 && !s.Multiple {
			return nil, fmt.Errorf("%s takes one %s", name, s.Type)
		}
		return all, nil
	}
	return []string{text}, nil
}

// secretName returns the name of the secret for a setting of a server.
func secretName(of, setting string) string { return upperCase(of + "_" + setting) }
