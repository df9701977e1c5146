package terminal

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscript/toolscript"
)

// blob is binary data inside a value: an image, audio or a resource in an MCP content
// block.
type blob struct {
	pointer  string // JSON pointer to the block
	kind     string // image, audio or resource
	mimeType string
	data     string // base64, or text if text is set
	text     bool
	size     int
}

// bytes returns the decoded content.
func (b blob) bytes() ([]byte, error) {
	if b.text {
		return []byte(b.data), nil
	}
	return base64.StdEncoding.DecodeString(b.data)
}

// descriptor replaces a blob in a printed value.
type descriptor struct {
	Type     string `json:"type"`
	MimeType string `json:"mimeType"`
	Bytes    int    `json:"bytes"`
	Handle   string `json:"handle,omitempty"` // for toolscript output HANDLE --value --out FILE
	Path     string `json:"path,omitempty"`   // path of the file with the data
}

// mostBlobDepth is the maximum depth at which blobs are searched, because each level is
// parsed again.
const mostBlobDepth = 16

// describeBlobs replaces the blobs of a value by descriptors.
func describeBlobs(runID string, value []byte) ([]byte, []blob) {
	if !bytes.Contains(value, []byte(`"data"`)) && !bytes.Contains(value, []byte(`"blob"`)) {
		return value, nil
	}
	var found []blob
	described := replaceBlobs(value, "", 0, asBlob, func(b blob) []byte {
		found = append(found, b)
		return b.describe(descriptor{Handle: b.handle(runID)})
	})
	return described, found
}

// describe returns the JSON of a descriptor. d says where the data is.
func (b blob) describe(d descriptor) []byte {
	d.Type, d.MimeType, d.Bytes = b.kind, b.mimeType, b.size
	text, err := toolscript.PlainJSON(d)
	if err != nil {
		panic(err) // a struct of strings and numbers always encodes
	}
	return text
}

// replaceBlobs replaces the blobs of a value, which find parses, by the results of replace.
// All other parts keep their text and their order.
func replaceBlobs(value []byte, pointer string, depth int, find func([]byte) (blob, bool), replace func(blob) []byte) []byte {
	if depth > mostBlobDepth || len(value) == 0 || value[0] != '[' && value[0] != '{' {
		return value
	}
	if b, ok := find(value); ok {
		b.pointer = pointer
		return replace(b)
	}
	d := json.NewDecoder(bytes.NewReader(value))
	if _, err := d.Token(); err != nil {
		return value
	}
	out := []byte{value[0]}
	for i := 0; d.More(); i++ {
		if i > 0 {
			out = append(out, ',')
		}
		step := strconv.Itoa(i)
		if value[0] == '{' {
			key, err := d.Token()
			if err != nil {
				return value
			}
			step = strings.NewReplacer("~", "~0", "/", "~1").Replace(fmt.Sprint(key))
			name, err := toolscript.PlainJSON(key)
			if err != nil {
				return value
			}
			out = append(append(out, name...), ':')
		}
		var member json.RawMessage
		if d.Decode(&member) != nil {
			return value
		}
		out = append(out, replaceBlobs(member, pointer+"/"+step, depth+1, find, replace)...)
	}
	return append(out, value[0]+2) // in ASCII, ] and } are two after [ and {
}

// asBlob parses a content block with binary data, or the contents of a resource. It refuses objects with
// other members, without a media type, or with a media type of another kind: they only look like blobs. A
// resource in a block, two objects with exact members, may lack the media type, which MCP does not require.
func asBlob(value []byte) (blob, bool) {
	if value[0] != '{' || !bytes.Contains(value, []byte(`"data"`)) && !bytes.Contains(value, []byte(`"blob"`)) {
		return blob{}, false
	}
	block := membersOf(value)
	b := blob{kind: block.text("type"), mimeType: block.text("mimeType")}
	switch b.kind {
	case "image", "audio":
		b.data = block.text("data")
		if !b.isMedia(b.kind) || !block.isText("data") || !block.has("type", "data", "mimeType", "annotations", "_meta") {
			return blob{}, false
		}
	case "resource":
		resource := membersOf(block["resource"])
		b.data, b.mimeType = resource.text("blob"), resource.text("mimeType")
		if !block.has("type", "resource", "annotations", "_meta") || !resource.isContents("blob") || resource["mimeType"] != nil && !b.isMedia("") {
			return blob{}, false
		}
	default:
		b.kind, b.data = "resource", block.text("blob")
		if !b.isMedia("") || !block.isContents("blob") {
			return blob{}, false
		}
	}
	data, err := base64.StdEncoding.DecodeString(b.data)
	b.size = len(data)
	return b, err == nil
}

// isMedia reports whether the media type is valid, and of the given kind unless that is "".
func (b blob) isMedia(kind string) bool {
	name, _, err := mime.ParseMediaType(b.mimeType)
	first, second, _ := strings.Cut(name, "/")
	return err == nil && first != "" && second != "" && (kind == "" || kind == first)
}

// members are the members of an object; nil if the value is not an object.
type members map[string]json.RawMessage

func membersOf(object []byte) (m members) {
	if json.Unmarshal(object, &m) != nil {
		return nil
	}
	return m
}

// text returns the text of a member, or "" if it is not a text.
func (m members) text(name string) (s string) {
	if json.Unmarshal(m[name], &s) != nil {
		return ""
	}
	return s
}

func (m members) isText(name string) bool { return len(m[name]) > 0 && m[name][0] == '"' }

// has reports whether the object has only these members.
func (m members) has(names ...string) bool {
	for name := range m {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// isContents reports whether the object is the contents of a resource, with its data in the member data.
func (m members) isContents(data string) bool {
	return m.text("uri") != "" && m.isText(data) && m.has("uri", "mimeType", data, "_meta")
}

// ValueFile returns the content that --out writes: the bytes of the blob at a pointer, or of the
// only blob of a value that consists of content blocks. Any other value is a line of JSON.
func ValueFile(value []byte, pointer string, pointed bool) ([]byte, error) {
	_, blobs := describeBlobs("", value)
	if pointed {
		for _, b := range blobs {
			if b.pointer == pointer {
				return base64.StdEncoding.DecodeString(b.data)
			}
		}
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: fmt.Errorf("the value has no binary data at %.100q", pointer)}
	}
	if len(blobs) != 1 || !onlyBlocks(value) {
		return append(bytes.TrimRight(value, "\n"), '\n'), nil
	}
	return base64.StdEncoding.DecodeString(blobs[0].data)
}

// onlyBlocks reports whether a value is a content block, a list of content blocks, or
// the contents of one resource.
func onlyBlocks(value []byte) bool {
	var contents struct {
		Contents []json.RawMessage `json:"contents"`
	}
	var list []json.RawMessage
	switch {
	case json.Unmarshal(value, &list) == nil:
	case json.Unmarshal(value, &contents) == nil && contents.Contents != nil:
		list = contents.Contents
	default:
		list = []json.RawMessage{value}
	}
	for _, item := range list {
		var block struct {
			Type string `json:"type"`
			URI  string `json:"uri"`
		}
		if json.Unmarshal(item, &block) != nil || block.Type == "" && block.URI == "" {
			return false
		}
	}
	return true
}

// blobNotice returns a notice with the command that saves a blob.
func blobNotice(runID string, blobs []blob) string {
	what := blobs[0].kind
	if len(blobs) > 1 {
		what = fmt.Sprintf("%d parts", len(blobs))
	}
	return fmt.Sprintf("%s of the value was replaced by a descriptor; to save the bytes: %s --value --out FILE", what, toolscript.Command("output", blobs[0].handle(runID)))
}
