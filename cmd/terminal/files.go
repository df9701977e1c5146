package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolscript/toolscript"
)

// Bounds of the files of one value.
const (
	mostFiles     = 1000
	mostFileBytes = 64 << 20 // size of all files together
	mostNamed     = 10       // files named in a message
)

// MakeDir creates the folder for the files of a value, and returns an error if no file can
// be created in it. It is called before the script runs.
func MakeDir(path string) error {
	err := os.MkdirAll(path, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(path, ".toolscript-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name())) //nolint:gosec // G703: created only for the check
		}
	}
	if err != nil {
		return fmt.Errorf("--out %s: no files can be written there, so nothing was run: %s", path, WithoutPath(err))
	}
	return nil
}

// folder writes the files of one value.
type folder struct {
	at    *os.Root
	name  string         // name of the folder in messages and descriptors
	next  map[string]int // number of the last file, by kind
	bytes int            // bytes written

	written []string
	left    []blob // blobs that were not written
	failure error  // why the first of them was not written
}

// writeFiles writes the images, audio and resources of a value to files of Dir, and
// replaces them by descriptors with the file names. left are those that were not written.
func (p ValuePrinter) writeFiles(runID string, value []byte) (text []byte, left []blob, err error) {
	f := folder{name: p.DirName, next: map[string]int{}}
	if f.at, f.failure = os.OpenRoot(p.Dir); f.failure == nil {
		defer func() { _ = f.at.Close() }() // every file in it is closed
	}
	text = replaceBlobs(value, "", 0, asFile, func(b blob) []byte {
		name := f.write(b)
		if name == "" {
			return b.describe(descriptor{Handle: b.handle(runID)})
		}
		return b.describe(descriptor{Path: filepath.Join(p.DirName, name)})
	})
	if len(f.written) > 0 {
		p.Say("toolscript: wrote %s", f.names())
	}
	if len(f.left) > 0 {
		err = fmt.Errorf("%d of %d files of the value were not written to %s: %s; the first of them is written with: %s --value --out FILE",
			len(f.left), len(f.left)+len(f.written), p.DirName, WithoutPath(f.failure), toolscript.Command("output", f.left[0].handle(runID)))
	}
	return text, f.left, err
}

// names lists the written files.
func (f *folder) names() string {
	shown := f.written[:min(len(f.written), mostNamed)]
	text := strings.Join(shown, ", ")
	if more := len(f.written) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// write writes a file and returns its name in the folder, or "" if it was not written.
func (f *folder) write(b blob) string {
	name, err := f.create(b)
	if err != nil {
		f.left = append(f.left, b)
		if f.failure == nil {
			f.failure = err
		}
		return ""
	}
	f.written = append(f.written, filepath.Join(f.name, name))
	f.bytes += b.size
	return name
}

func (f *folder) create(b blob) (string, error) {
	switch {
	case f.at == nil:
		return "", f.failure
	case len(f.written) >= mostFiles:
		return "", fmt.Errorf("at most %d files of one value are written", mostFiles)
	case f.bytes+b.size > mostFileBytes:
		return "", fmt.Errorf("at most %d MB of one value are written to files", mostFileBytes>>20)
	}
	data, err := b.bytes()
	if err != nil {
		return "", err
	}
	name, file, err := f.open(b)
	if err != nil {
		return "", err
	}
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = f.at.Remove(name) // a partial file would look complete
	}
	return name, err
}

// open creates the first file of its kind whose numbered name is free. No part of the name
// comes from a server, and no link is followed.
func (f *folder) open(b blob) (string, *os.File, error) {
	for {
		f.next[b.kind]++
		name := fmt.Sprintf("%s-%d%s", b.kind, f.next[b.kind], extension(b))
		file, err := f.at.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return name, file, err
		}
	}
}

// asFile is like asBlob, but also accepts an embedded resource with text.
func asFile(value []byte) (blob, bool) {
	if b, ok := asBlob(value); ok || value[0] != '{' || !bytes.Contains(value, []byte(`"resource"`)) {
		return b, ok
	}
	block := membersOf(value)
	resource := membersOf(block["resource"])
	if block.text("type") != "resource" || !block.has("type", "resource", "annotations", "_meta") || !resource.isContents("text") {
		return blob{}, false
	}
	text := resource.text("text")
	return blob{kind: "resource", mimeType: resource.text("mimeType"), data: text, text: true, size: len(text)}, true
}

// extension returns the file name extension for a blob: .bin or .txt for types that are not listed.
func extension(b blob) string {
	mimeType, _, _ := strings.Cut(b.mimeType, ";")
	if known := extensions[strings.ToLower(strings.TrimSpace(mimeType))]; known != "" {
		return known
	}
	if b.text {
		return ".txt"
	}
	return ".bin"
}

var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
	"image/bmp": ".bmp", "image/tiff": ".tiff", "image/avif": ".avif", "image/heic": ".heic",
	"audio/wav": ".wav", "audio/x-wav": ".wav", "audio/mpeg": ".mp3", "audio/ogg": ".ogg", "audio/flac": ".flac",
	"audio/aac": ".aac", "audio/mp4": ".m4a", "audio/webm": ".weba",
	"video/mp4": ".mp4", "video/webm": ".webm",
	"application/pdf": ".pdf", "application/json": ".json", "application/xml": ".xml", "application/zip": ".zip",
	"application/gzip": ".gz", "text/plain": ".txt", "text/html": ".html", "text/csv": ".csv", "text/markdown": ".md",
	"text/xml": ".xml", "text/css": ".css", "text/javascript": ".js",
}
