package setup

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/toolscript/toolscript/cmd/terminal"
)

const (
	manifestName = "manifest.json"
	maxManifest  = 1 << 20 // bytes
)

// manifestVersions are the versions of the manifest that are known. Their members have the same meaning.
var manifestVersions = []string{"0.1", "0.2", "0.3", "0.4"}

// The types of servers in a bundle.
const (
	bundleNode   = "node"
	bundlePython = "python"
	bundleBinary = "binary"
	bundleUV     = "uv"
)

// Manifest is the manifest of an MCPB bundle, with the members that toolscript uses.
type Manifest struct {
	Version     string `json:"manifest_version"`
	DXT         string `json:"dxt_version"` // name of manifest_version in version 0.1
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Release     string `json:"version"`
	Description string `json:"description"`
	Author      struct {
		Name string `json:"name"`
	} `json:"author"`
	Server struct {
		Type       string       `json:"type"`
		EntryPoint string       `json:"entry_point"`
		Config     launchConfig `json:"mcp_config"`
	} `json:"server"`
	Compatibility struct {
		Platforms []string          `json:"platforms"`
		Runtimes  map[string]string `json:"runtimes"`
	} `json:"compatibility"`
	UserConfig map[string]UserSetting `json:"user_config"`
}

// launchConfig is how the server of a bundle is started.
type launchConfig struct {
	Command   string                  `json:"command"`
	Args      []string                `json:"args"`
	Env       map[string]string       `json:"env"`
	Platforms map[string]launchConfig `json:"platform_overrides"`
}

// UserSetting is a value that the user gives to a bundle.
type UserSetting struct {
	Type        string   `json:"type"` // string, number, boolean, directory or file
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Required    bool     `json:"required"`
	Default     any      `json:"default"`
	Multiple    bool     `json:"multiple"`
	Sensitive   bool     `json:"sensitive"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
}

// manifest reads and checks the manifest.
func (b *Bundle) manifest() (m Manifest, err error) {
	f := b.find(manifestName)
	if f == nil {
		return m, errors.New("the bundle has none")
	}
	if f.UncompressedSize64 > maxManifest {
		return m, errors.New("it is too large")
	}
	r, err := f.Open()
	if err != nil {
		return m, err
	}
	defer func() { _ = r.Close() }() // an error after reading does not matter
	text, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("it cannot be read: %w", err)
	}
	return m, m.check(b)
}

var settingName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) })

// check returns an error if the manifest is invalid or toolscript cannot run the bundle.
func (m *Manifest) check(b *Bundle) error {
	if version := cmp.Or(m.Version, m.DXT); !slices.Contains(manifestVersions, version) {
		return fmt.Errorf("manifest_version %.20q is not known; known are %s", version, strings.Join(manifestVersions, ", "))
	}
	for name, value := range map[string]string{"name": m.Name, "version": m.Release, "description": m.Description, "author.name": m.Author.Name} {
		if strings.TrimSpace(value) == "" {
			return fmt.Errorf("%s is missing", name)
		}
	}
	if err := m.checkServer(b); err != nil {
		return err
	}
	if platforms := m.Compatibility.Platforms; len(platforms) > 0 && !slices.Contains(platforms, platform()) {
		return &otherSystemError{terminal.OneLine(strings.Join(platforms, ", "))}
	}
	for _, name := range slices.Sorted(maps.Keys(m.UserConfig)) {
		if s := m.UserConfig[name]; !settingName().MatchString(name) || !slices.Contains([]string{"string", "number", "boolean", "directory", "file"}, s.Type) {
			return fmt.Errorf("user_config %.80q has a name or a type that is not known", name)
		}
	}
	return nil
}

func (m *Manifest) checkServer(b *Bundle) error {
	s := m.Server
	switch {
	case !slices.Contains([]string{bundleNode, bundlePython, bundleBinary, bundleUV}, s.Type):
		return fmt.Errorf("server.type %.40q is not known", s.Type)
	case s.EntryPoint == "" || checkName(s.EntryPoint) != nil || !b.has(s.EntryPoint) && !b.has(s.EntryPoint+".exe"):
		return fmt.Errorf("server.entry_point %.200q is no file of the bundle", s.EntryPoint)
	case s.Type == bundleUV && !b.has("pyproject.toml"):
		return errors.New("a server of the type uv needs the file pyproject.toml")
	case s.Type != bundleUV && s.Config.Command == "" && s.Config.Platforms[platform()].Command == "":
		return errors.New("server.mcp_config.command is missing")
	}
	return nil
}

// platform returns the name of this system in manifests.
func platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

// launch returns how the server is started on this system.
func (m *Manifest) launch() launchConfig {
	all := m.Server.Config
	own, ok := all.Platforms[platform()]
	if !ok {
		return all
	}
	all.Command = cmp.Or(own.Command, all.Command)
	if own.Args != nil {
		all.Args = own.Args
	}
	env := map[string]string{}
	maps.Copy(env, all.Env)
	maps.Copy(env, own.Env)
	all.Env = env
	return all
}

// runs reports whether a file of the bundle is the program of its server.
func (m *Manifest) runs(name string) bool {
	return m.Server.Type == bundleBinary && strings.TrimSuffix(name, ".exe") == strings.TrimSuffix(m.Server.EntryPoint, ".exe")
}

// otherSystemError reports a bundle that does not run on this system.
type otherSystemError struct{ systems string }

func (e *otherSystemError) Error() string {
	return fmt.Sprintf("the bundle is for %s, and this is %s", e.systems, platform())
}
