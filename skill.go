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

// Skill marks a Tool as a skill of MCP's extension for skills: a folder of texts that tell a model
// how to do something. The Name of such a Tool is the URI of the skill's SKILL.md, its Title is
// the name of the skill, and its Description is the description of the skill. Skills are listed,
// selected, pinned and stored like tools. Catalog.Skills returns them, Catalog.Tools does not.
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

// Limits of a skill. MCP requires every client to accept this many files and bytes.
const (
	MaxSkillFiles  = 512
	MaxSkillBytes  = 16 << 20
	maxFrontmatter = 64 << 10 // bytes
	maxSkillURI    = 2 << 10  // bytes
	maxSkillName   = 64       // characters; a limit of the format of skills
)

// skillEnd ends the URI of each skill.
const skillEnd = "/SKILL.md"

// SkillName returns the name of a skill from the URI of its SKILL.md. It returns false if uri is not the
// URI of a SKILL.md.
func SkillName(uri string) (name string, is bool) {
	root, is := strings.CutSuffix(uri, skillEnd)
	return root[strings.LastIndexByte(root, '/')+1:], is
}

// skillEntry is the JSON form of a skill in MCP.
type skillEntry struct {
	URI         string          `json:"uri"`
	Frontmatter json.RawMessage `json:"frontmatter"`
	Resources   json.RawMessage `json:"resources"`
}

// dynamic is the value of resources for a skill whose files have no digests.
const dynamic = `"dynamic"`

// ParseSkill parses an entry of the list of skills of a server. It returns an error if the skill cannot be
// used, for example because a file is outside of its folder.
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

// HasSkillFile reports whether uri is in the folder of a skill. skill is the URI of its SKILL.md.
// A URI with a segment such as .. is in no folder.
func HasSkillFile(skill, uri string) bool {
	return strings.HasPrefix(uri, strings.TrimSuffix(skill, "SKILL.md")) && isSkillURI(uri)
}

// isSkillURI reports whether uri can be the URI of a file of a skill: a scheme, and a path whose
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

// shortID returns the id of a skill with the name of the skill in place of its URI. An entry of a Filter
// may be such an id.
func (t Tool) shortID() string { return t.Server + Separator + t.Title }

// SkillEntry returns the JSON form of a skill in MCP. named maps each URI of the server to the URI in the
// result; if named is nil, URIs stay unchanged.
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

// SkillFile returns the file of a skill with the given URI. If the skill has no digests, the digest of the
// file is "" and its size is the maximum.
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
