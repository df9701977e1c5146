package setup

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// bundleValues are the values that the references in a manifest stand for.
type bundleValues struct {
	folder   string // folder of the unpacked bundle
	home     string // home folder of the user
	declared map[string]UserSetting
	settings map[string][]string // values of user_config; several if it is multiple
	secrets  map[string]string   // names of the secrets for sensitive values of user_config
}

var bundleReference = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$\{([^{}]*)\}`) })

// expand replaces the references of a text. A text that is one reference to several values becomes several texts.
// secret is false where the value would be visible to other programs.
func (v *bundleValues) expand(text string, secret bool) ([]string, error) {
	if name, ok := strings.CutPrefix(text, "${user_config."); ok && strings.HasSuffix(name, "}") {
		if values, known := v.settings[strings.TrimSuffix(name, "}")]; known {
			texts := []string{}
			for _, value := range values {
				texts = append(texts, escape(value))
			}
			return texts, nil
		}
	}
	var out, plain strings.Builder // plain: the text since the last secret
	at := 0
	for _, found := range bundleReference().FindAllStringSubmatchIndex(text, -1) {
		value, isSecret, err := v.value(text[found[2]:found[3]], secret)
		if err != nil {
			return nil, err
		}
		plain.WriteString(text[at:found[0]])
		at = found[1]
		if !isSecret {
			plain.WriteString(value)
			continue
		}
		if strings.HasSuffix(plain.String(), "$") {
			return nil, fmt.Errorf("a $ before the secret %.80s cannot be written into the configuration", text[found[0]:found[1]])
		}
		out.WriteString(escape(plain.String()) + value)
		plain.Reset()
	}
	// Values are joined before they are escaped: a $ of one and a { of the next would otherwise be a reference.
	return []string{out.String() + escape(plain.String()+text[at:])}, nil
}

// value returns the value of a reference: a text, or a reference to a secret in the form of the configuration.
func (v *bundleValues) value(name string, secret bool) (text string, isSecret bool, err error) {
	if text, ok := v.place(name); ok {
		return text, false, nil
	}
	key, ok := strings.CutPrefix(name, "user_config.")
	if _, declared := v.declared[key]; !ok || !declared {
		return "", false, fmt.Errorf("the reference ${%.80s} is not known", name)
	}
	if stored := v.secrets[key]; stored != "" {
		if !secret {
			return "", false, fmt.Errorf("the secret user_config.%s is an argument of the program, which other programs can see; only env may have secrets", key)
		}
		return "${secret:" + stored + "}", true, nil
	}
	return strings.Join(v.settings[key], string(os.PathListSeparator)), false, nil
}

// place returns the folder that a reference stands for.
func (v *bundleValues) place(name string) (string, bool) {
	switch name {
	case "__dirname":
		return v.folder, true
	case "HOME":
		return v.home, true
	case "DESKTOP", "DOCUMENTS", "DOWNLOADS":
		return filepath.Join(v.home, name[:1]+strings.ToLower(name[1:])), true
	case "pathSeparator", "/":
		return string(filepath.Separator), true
	}
	return "", false
}

// escape returns a text that the configuration reads as text, without references to variables.
func escape(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// definition returns the definition of the bundle's server in the form of mcpServers. find finds a program.
func (m *Manifest) definition(v *bundleValues, find func(program string) (string, error)) (json.RawMessage, error) {
	c := m.launch()
	if m.Server.Type == bundleUV && c.Command == "" {
		c.Command, c.Args = "uv", []string{"run", "--directory", "${__dirname}", "${__dirname}/" + m.Server.EntryPoint}
	}
	command, err := m.command(c.Command, v, find)
	if err != nil {
		return nil, err
	}
	d := map[string]any{"command": command, "cwd": escape(v.folder)}
	args := []string{}
	for _, arg := range c.Args {
		values, err := v.expand(arg, false)
		if err != nil {
			return nil, err
		}
		args = append(args, values...)
	}
	if len(args) > 0 {
		d["args"] = args
	}
	env := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		values, err := v.expand(c.Env[name], true)
		if err != nil {
			return nil, err
		}
		if env[name] = strings.Join(values, string(os.PathListSeparator)); env[name] == "" {
			delete(env, name) // a value that the user has not given
		}
	}
	if len(env) > 0 {
		d["env"] = env
	}
	return json.Marshal(d)
}

// command returns the program of the server: one of the bundle, or a runtime of this machine.
func (m *Manifest) command(text string, v *bundleValues, find func(program string) (string, error)) (string, error) {
	values, err := v.expand(text, false)
	if err != nil || len(values) != 1 {
		return "", errors.Join(err, errors.New("server.mcp_config.command is not one program"))
	}
	if m.Server.Type == bundleBinary {
		inside := strings.TrimPrefix(strings.TrimPrefix(text, "${__dirname}"), "/")
		if checkName(inside) != nil || path.Clean(inside) != strings.TrimSuffix(m.Server.EntryPoint, ".exe") && path.Clean(inside) != m.Server.EntryPoint {
			return "", errors.New("server.mcp_config.command is another program than server.entry_point")
		}
		if runtime.GOOS == "windows" && path.Ext(inside) == "" {
			inside += ".exe"
		}
		return escape(filepath.Join(v.folder, filepath.FromSlash(inside))), nil
	}
	runtimes := map[string][]string{bundleNode: {"node"}, bundlePython: {"python", "python3"}, bundleUV: {"uv"}}[m.Server.Type]
	if !slices.Contains(runtimes, text) {
		return "", fmt.Errorf("server.mcp_config.command is %.80q, and a server of the type %s runs with %s", text, m.Server.Type, strings.Join(runtimes, " or "))
	}
	for _, program := range slices.Compact(append([]string{text}, runtimes...)) {
		if found, err := find(program); err == nil {
			return program, m.suits(program, found)
		}
	}
	return "", fmt.Errorf("the bundle needs %s, which is not in PATH; install it first", text)
}

// suits checks the version of a runtime. version is what it prints; "" is not checked.
func (m *Manifest) suits(program, version string) error {
	name := m.Server.Type
	if name == bundleUV {
		return nil // uv installs its own Python
	}
	wanted := m.Compatibility.Runtimes[name]
	if wanted == "" || version == "" || fits(version, wanted) {
		return nil
	}
	return fmt.Errorf("the bundle needs %s %s, and %s is %s", name, wanted, program, version)
}

var (
	versionNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d+(\.\d+)*`) })
	versionBound  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(>=|<=|>|<|=)?\s*v?(\d+(?:\.\d+)*)`) })
)

// fits reports whether a version is within bounds such as ">=3.8,<4". It returns true for bounds of any other form.
// As in npm, a bound without its last numbers stands for all of them: 22.1.0 is within "<=22" and not within ">22".
func fits(version, bounds string) bool {
	have := numbers(versionNumber().FindString(version))
	if strings.ContainsAny(bounds, "^~*x|") {
		return true
	}
	for _, bound := range versionBound().FindAllStringSubmatch(bounds, -1) {
		want := numbers(bound[2])
		have := have[:min(len(have), len(want))]
		order := slices.Compare(have, want)
		ok := map[string]bool{">=": order >= 0, "<=": order <= 0, ">": order > 0, "<": order < 0, "=": slices.Equal(have, want)}
		if is, known := ok[bound[1]]; known && !is {
			return false
		}
	}
	return true
}

func numbers(version string) []int {
	var all []int
	for part := range strings.SplitSeq(version, ".") {
		n, _ := strconv.Atoi(part) // a part that is no number counts as 0
		all = append(all, n)
	}
	return all
}
