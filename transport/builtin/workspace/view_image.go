package workspace

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/gif"  // decodes the dimensions of images
	_ "image/jpeg" // as above
	_ "image/png"  // as above
	"io"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// ViewImage is the tool viewImage.
var ViewImage = tool.Tool{
	Name:  "viewImage",
	Title: "Check an image",
	Description: "Check that a file is an image, for the session to show it to the model. The content is JSON with path, mimeType, bytes, " +
		"and width and height in pixels where they are known.",
	Input: `{"type": "object", "required": ["path"], "additionalProperties": false, "properties": {
		"path": {"type": "string", "description": "the file, relative to workdir"},
		"workdir": {"type": "string", "description": "a folder below the root of the server; default: the root"}}}`,
	Output:      tool.ContentSchema("JSON that describes the image"),
	Annotations: tool.Reads(),
	Run:         tool.Func(viewImage),
}

type viewImageArgs struct {
	Path    string `json:"path"`
	Workdir string `json:"workdir"`
}

const (
	maxImage   = 20 << 20 // maximum size in bytes of an image file
	imageStart = 1 << 20  // bytes that are read to detect the type and the dimensions
)

type imageInfo struct {
	Path     string `json:"path"` // relative to the root, with slashes
	MimeType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
}

func viewImage(_ context.Context, w *tool.Workspace, args viewImageArgs) (tool.Content, error) {
	path, err := w.Path(args.Path, args.Workdir)
	if err != nil {
		return tool.Content{}, err
	}
	f, info, err := w.Open(path)
	if err != nil {
		return tool.Content{}, err
	}
	defer func() { _ = f.Close() }() // it was only read
	if info.Size() > maxImage {
		return tool.Content{}, fmt.Errorf("%s has %d bytes; an image has at most %d", tool.Quote(path), info.Size(), maxImage)
	}
	start, err := io.ReadAll(io.LimitReader(f, imageStart))
	if err != nil {
		return tool.Content{}, tool.Explain(path, err)
	}
	found := imageInfo{Path: filepath.ToSlash(path), MimeType: http.DetectContentType(start), Bytes: info.Size()}
	if !strings.HasPrefix(found.MimeType, "image/") {
		return tool.Content{}, fmt.Errorf("%s is not an image", tool.Quote(path))
	}
	if size, _, err := image.DecodeConfig(bytes.NewReader(start)); err == nil {
		found.Width, found.Height = size.Width, size.Height
	}
	text, err := json.Marshal(found)
	return tool.Content{Content: string(text), Success: err == nil}, err
}
