package toolscript

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Skill is what MCP's extension for skills says about a Tool that is a skill: a folder of texts
// that tell a model how to do something. The Name of such a Tool is the URI of the skill's
// SKILL.md, its Title is the name of the skill, and its Description that of the skill. It is
// listed, selected, pinned and stored like a tool, and no catalog has it among its tools.
type Skill struct {
	Frontmatter json.RawMessage `json:"frontmatter"`     // the head of SKILL.md, as a JSON object
	Files       []SkillFile     `json:"files,omitempty"` // all files; none if the server makes them on demand, without digests
}

// SkillFile is a file of a skill.
type SkillFile struct {
	URI    string `json:"uri"`
	Digest string `json:"digest"` // sha256: and the hash of the bytes in hexadecimal digits
	Size   int64  `json:"size"`   // number of bytes
}

// Limits of a skill. The numbers of files and bytes are those that MCP wants every client to accept.
const (
	MaxSkillFiles  = 512
	MaxSkillBytes  = 16 << 20
	maxFrontmatter = 64 << 10 // bytes
	maxSkillURI    = 2 << 10  // bytes
	maxSkillName   = 64       // characters, as the format of skills has it
)

// skillEnd ends the URI of each skill.
const skillEnd = "/SKILL.md"

// SkillName returns the name of the skill whose SKILL.md has a URI; false if it is not such a URI.
func SkillName(uri string) (name string, is bool) {
	root, is := strings.CutSuffix(uri, skillEnd)
	return root[strings.LastIndexByte(root, '/')+1:], is
}

// skillEntry is a skill as MCP writes it.
type skillEntry struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   json.RawMessage `json:"resources"`
}

// dynamic takes the place of the files of a skill that has no digests.
const dynamic = `"dynamic"`

// ParseSkill reads a skill of a server as MCP writes it. The error says why the skill cannot be
// used: for example, a file is outside of its folder.
func ParseSkill(server string, entry json.RawMessage) (Tool, error) {
	var e skillEntry
	if err := json.Unmarshal(entry, &e); err != nil {
		return Tool{}, err
	}
	var head struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	name, is := SkillName(e.URI)
	switch {
	case !is || !isSkillURI(e.URI):
		return Tool{}, fmt.Errorf("its URI is not that of a SKILL.md: %.100q", e.URI)
	case len(e.Frontmatter) > maxFrontmatter:
		return Tool{}, fmt.Errorf("its frontmatter has %d bytes, and the limit is %d", len(e.Frontmatter), maxFrontmatter)
	case json.Unmarshal(e.Frontmatter, &head) != nil || head.Description == "":
		return Tool{}, errors.New("its frontmatter has no description")
	case head.Name != name:
		return Tool{}, fmt.Errorf("its name %.80q is not that of its folder, %.80q", head.Name, name)
	case !isSkillName(name):
		return Tool{}, fmt.Errorf("its name must have at most %d small letters, digits and single hyphens: %.80q", maxSkillName, name)
	}
	skill := &Skill{Frontmatter: e.Frontmatter}
	if string(e.Resources) != dynamic {
		if json.Unmarshal(e.Resources, &skill.Files) != nil || len(skill.Files) == 0 {
			return Tool{}, errors.New("it has no list of its files")
		}
		if err := checkSkillFiles(e.URI, skill.Files); err != nil {
			return Tool{}, err
		}
	}
	return Tool{Server: server, Name: e.URI, Title: name, Description: head.Description, Skill: skill}, nil
}

// checkSkillFiles returns an error if the list of files is not valid.
func checkSkillFiles(uri string, files []SkillFile) error {
	if len(files) > MaxSkillFiles {
		return fmt.Errorf("it has %d files, and the limit is %d", len(files), MaxSkillFiles)
	}
	all, seen := int64(0), make(map[string]bool, len(files))
	for _, f := range files {
		sum, is := strings.CutPrefix(f.Digest, "sha256:")
		bytes, err := hex.DecodeString(sum)
		switch {
		case !HasSkillFile(uri, f.URI):
			return fmt.Errorf("the file %.100q is not in its folder", f.URI)
		case seen[f.URI]:
			return fmt.Errorf("the file %.100q is listed twice", f.URI)
		case !is || err != nil || len(bytes) != 32 || strings.ToLower(sum) != sum:
			return fmt.Errorf("the digest of %.100q is not a SHA-256: %.80q", f.URI, f.Digest)
		case f.Size < 0 || f.Size > MaxSkillBytes-all:
			return fmt.Errorf("its files have more than %d MB", MaxSkillBytes>>20)
		}
		seen[f.URI] = true
		all += f.Size
	}
	if !seen[uri] {
		return errors.New("its list of files has no SKILL.md")
	}
	return nil
}

// HasSkillFile reports whether a URI is in the folder of the skill whose SKILL.md has the URI skill.
// A URI with a segment such as .. is in no folder.
func HasSkillFile(skill, uri string) bool {
	return strings.HasPrefix(uri, strings.TrimSuffix(skill, "SKILL.md")) && isSkillURI(uri)
}

// isSkillURI reports whether a URI can be that of a file of a skill: a scheme, and a path whose
// segments are names.
func isSkillURI(uri string) bool {
	scheme, path, is := strings.Cut(uri, "://")
	if !is || scheme == "" || len(uri) > maxSkillURI || !isURIScheme(scheme) {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		name, err := url.PathUnescape(segment)
		if err != nil || name == "" || name == "." || name == ".." || strings.ContainsAny(segment, "?#") || strings.ContainsAny(name, `/\`) {
			return false
		}
		if strings.ContainsFunc(name, func(r rune) bool { return Hidden(r) || r < ' ' || r == unicode.ReplacementChar }) {
			return false
		}
	}
	return true
}

func isURIScheme(scheme string) bool {
	return !strings.ContainsFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '+' && r != '-' && r != '.'
	})
}

// isSkillName reports whether a name follows the rules of the format of skills.
func isSkillName(name string) bool {
	if len([]rune(name)) > maxSkillName || slices.Contains(strings.Split(name, "-"), "") {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r != '-' && !unicode.IsDigit(r) && (!unicode.IsLetter(r) || unicode.IsUpper(r))
	})
}

// shortID returns the id of a skill with its name in place of its URI. Filters may have it.
func (t Tool) shortID() string { return t.Server + Separator + t.Title }

// SkillEntry returns a skill as MCP writes it. named returns the URI that stands for one of the
// server; nil keeps them.
func (t Tool) SkillEntry(named func(uri string) string) map[string]any {
	if named == nil {
		named = func(uri string) string { return uri }
	}
	entry := map[string]any{"uri": named(t.Name), "frontmatter": t.Skill.Frontmatter, "resources": "dynamic"}
	if len(t.Skill.Files) > 0 {
		files := slices.Clone(t.Skill.Files)
		for i := range files {
			files[i].URI = named(files[i].URI)
		}
		entry["resources"] = files
	}
	return entry
}

// SkillFile returns the file of a skill with a URI. The digest is empty if the skill has none.
func (t Tool) SkillFile(uri string) (file SkillFile, has bool) {
	if len(t.Skill.Files) == 0 {
		return SkillFile{URI: uri, Size: MaxSkillBytes}, HasSkillFile(t.Name, uri)
	}
	at := slices.IndexFunc(t.Skill.Files, func(f SkillFile) bool { return f.URI == uri })
	if at < 0 {
		return SkillFile{}, false
	}
	return t.Skill.Files[at], true
}
