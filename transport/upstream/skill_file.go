package upstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/toolscript/toolscript"
)

// UnusableSkill returns the error of a skill or a file that a server has sent and that must not be used.
func UnusableSkill(o toolscript.FetchRequest, why error) error {
	return &toolscript.Error{Kind: toolscript.InvalidResult, Server: o.Server, Err: fmt.Errorf("the skill file %.200q is not used: %w", o.URI, why)}
}

// GotSkill reads the answer of a server to skills/get.
func GotSkill(o toolscript.FetchRequest, answer json.RawMessage) (toolscript.Tool, error) {
	var result struct {
		Skill json.RawMessage `json:"skill"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return toolscript.Tool{}, UnusableSkill(o, err)
	}
	skill, err := toolscript.ParseSkill(o.Server, result.Skill)
	if err == nil && skill.Name != o.URI {
		err = fmt.Errorf("the server answered with the skill %.200q", skill.Name)
	}
	if err != nil {
		return skill, UnusableSkill(o, err)
	}
	return skill, nil
}

// VerifiedFile is a file of a skill whose bytes are those that the entry of the skill describes.
type VerifiedFile struct {
	URI    string
	Text   string          // "" for a file that is not a text
	Answer json.RawMessage // a result of resources/read with the file and nothing else
}

// part is a file in the result of resources/read.
type part struct {
	URI  string  `json:"uri"`
	Type string  `json:"mimeType,omitempty"`
	Text *string `json:"text,omitempty"`
	Blob *[]byte `json:"blob,omitempty"`
}

// VerifySkill checks the answer of a server to resources/read for a file of a skill. Its bytes must be
// those that the entry of the skill describes. A person and a model choose a skill by the listed
// frontmatter, so that of SKILL.md must be the same.
func VerifySkill(ctx context.Context, convert ConvertPort, skill toolscript.Tool, o toolscript.FetchRequest, answer json.RawMessage) (VerifiedFile, error) {
	f, content, err := readPart(o.URI, answer)
	if file, has := skill.SkillFile(o.URI); err == nil && has {
		err = verifyBytes(file, content)
	}
	if err == nil && o.URI == skill.Name {
		err = verifyHead(ctx, convert, skill, content)
	}
	if err != nil {
		return VerifiedFile{}, UnusableSkill(o, err)
	}
	v := VerifiedFile{URI: o.URI}
	if f.Text != nil {
		v.Text = *f.Text
	}
	v.Answer, err = toolscript.PlainJSON(map[string]any{"contents": []part{f}}) // other members have no digest
	return v, err
}

// readPart returns the file in the result of resources/read, and its bytes.
func readPart(uri string, answer json.RawMessage) (part, []byte, error) {
	var result struct {
		Contents []part `json:"contents"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return part{}, nil, err
	}
	if len(result.Contents) != 1 {
		return part{}, nil, fmt.Errorf("the server answered with %d files", len(result.Contents))
	}
	switch f := result.Contents[0]; {
	case f.URI != uri:
		return f, nil, fmt.Errorf("the server answered with the file %.200q", f.URI)
	case f.Text != nil:
		f.Blob = nil
		return f, []byte(*f.Text), nil
	case f.Blob != nil:
		return f, *f.Blob, nil
	default:
		return f, nil, errors.New("the server answered without its content")
	}
}

// verifyBytes returns an error if the bytes are not those of the file. A file without a digest only
// has a limit.
func verifyBytes(file toolscript.SkillFile, content []byte) error {
	size := int64(len(content))
	switch sum := sha256.Sum256(content); {
	case file.Digest == "" && size > file.Size:
		return fmt.Errorf("it has %d bytes, and the limit is %d", size, file.Size)
	case file.Digest == "":
		return nil
	case size != file.Size:
		return fmt.Errorf("it has %d bytes, and the server has listed %d; the skill may have changed since", size, file.Size)
	case "sha256:"+hex.EncodeToString(sum[:]) != file.Digest:
		return errors.New("its digest is not the one that the server has listed; the skill may have changed since")
	}
	return nil
}

func verifyHead(ctx context.Context, convert ConvertPort, skill toolscript.Tool, content []byte) error {
	var listed bytes.Buffer
	if err := json.Compact(&listed, skill.Skill.Frontmatter); err != nil {
		return err
	}
	listed.WriteByte('\n')
	differs, err := Frontmatter.Convert(ctx, convert, [][]byte{listed.Bytes(), content}, nil)
	if err == nil && len(differs) > 0 {
		err = errors.New(string(differs))
	}
	return err
}
