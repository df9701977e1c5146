package setup_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscript/toolscript/cmd/setup"
)

const goodManifest = `{"manifest_version":"0.3","name":"good","version":"1.0.0","description":"Is good.","author":{"name":"Ann"},
	"server":{"type":"binary","entry_point":"server/run","mcp_config":{"command":"${__dirname}/server/run","args":["${user_config.dirs}"],"env":{"KEY":"${user_config.key}"}}},
	"user_config":{"dirs":{"type":"directory","multiple":true},"key":{"type":"string","sensitive":true}}}`

// member is a file of a bundle.
type member struct {
	name, text string
	mode       fs.FileMode
}

// archive returns a ZIP archive.
func archive(t *testing.T, write func(*zip.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	if err := errors.Join(write(w), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// add writes a file of an archive.
func (m member) add(w *zip.Writer) error {
	h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
	h.SetMode(m.mode)
	part, err := w.CreateHeader(h)
	if err == nil {
		_, err = io.WriteString(part, m.text)
	}
	return err
}

// bundle writes a bundle with a manifest and other files.
func bundle(t *testing.T, manifest string, more ...member) string {
	t.Helper()
	return write(t, archive(t, func(w *zip.Writer) (err error) {
		for _, m := range append([]member{{"manifest.json", manifest, 0o600}, {"server/run", "#!/bin/sh\n", 0o600}}, more...) {
			err = errors.Join(err, m.add(w))
		}
		return err
	}))
}

func write(t *testing.T, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.mcpb")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestBundle(t *testing.T) {
	b, err := setup.OpenBundle(bundle(t, goodManifest, member{"server/", "", fs.ModeDir | 0o755}, member{"server/lib/a.txt", "a", 0o644}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	folder := filepath.Join(t.TempDir(), "bundles", "good")
	if err := b.Unpack(t.Context(), folder); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{"manifest.json": 0o600, "server/run": 0o700, "server/lib/a.txt": 0o600} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	if err := b.Unpack(t.Context(), folder); err == nil {
		t.Error("it was unpacked into a folder that exists")
	}
}

// Names that lead out of the folder, links, devices, doubles, and archives that grow are refused before anything is written.
func TestHostileBundles(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	bomb := []member{}
	for i := range 70 {
		bomb = append(bomb, member{fmt.Sprintf("zeros/%d", i), zeros, 0o600})
	}
	for name, test := range map[string]struct {
		more []member
		want string
	}{
		"zip slip":            {[]member{{"../evil", "x", 0o600}}, "leads out of the bundle"},
		"slip in the middle":  {[]member{{"server/../../evil", "x", 0o600}}, "leads out of the bundle"},
		"absolute":            {[]member{{"/tmp/evil", "x", 0o600}}, "leads out of the bundle"},
		"of Windows":          {[]member{{`..\evil`, "x", 0o600}}, "characters that are not allowed"},
		"a drive":             {[]member{{"C:/evil", "x", 0o600}}, "characters that are not allowed"},
		"a control character": {[]member{{"a\nb", "x", 0o600}}, "characters that are not allowed"},
		"long name":           {[]member{{strings.Repeat("a/", 300) + "b", "x", 0o600}}, "too long"},
		"symbolic link":       {[]member{{"server/link", "/etc/passwd", fs.ModeSymlink | 0o777}}, "is a link or a device"},
		"device":              {[]member{{"server/dev", "", fs.ModeDevice | 0o600}}, "is a link or a device"},
		"twice":               {[]member{{"Server/RUN", "x", 0o600}}, "is there twice"},
		"bomb":                {bomb, "more than 100 times its own size"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := setup.OpenBundle(bundle(t, goodManifest, test.more...))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// raw returns a bundle with a file that claims another size than it has.
func raw(t *testing.T, name string, claimed uint64, content string) []byte {
	t.Helper()
	return archive(t, func(w *zip.Writer) error {
		err := errors.Join(member{"manifest.json", goodManifest, 0o600}.add(w), member{"server/run", "x", 0o600}.add(w))
		part, failed := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Store, UncompressedSize64: claimed, CompressedSize64: uint64(len(content))})
		if failed == nil {
			_, failed = io.WriteString(part, content)
		}
		return errors.Join(err, failed)
	})
}

func TestSizesOfBundles(t *testing.T) {
	for want, text := range map[string][]byte{
		"has more than 512 MB": raw(t, "huge", 600<<20, "x"),
		"is no ZIP archive":    []byte("text"),
		"more than 1024 MB": archive(t, func(w *zip.Writer) (err error) {
			for i := range 4 {
				_, failed := w.CreateRaw(&zip.FileHeader{Name: fmt.Sprint(i), UncompressedSize64: 400 << 20})
				err = errors.Join(err, failed)
			}
			return err
		}),
	} {
		if _, err := setup.OpenBundle(write(t, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	large := write(t, nil)
	if err := os.Truncate(large, 513<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := setup.OpenBundle(large); err == nil || !strings.Contains(err.Error(), "at most 512 MB") {
		t.Errorf("got %v", err)
	}

	// A file that is larger than it claims ends the unpacking, and nothing is left.
	b, err := setup.OpenBundle(write(t, raw(t, "liar", 1, "more than one byte")))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	folder := filepath.Join(t.TempDir(), "liar")
	if err := b.Unpack(t.Context(), folder); err == nil {
		t.Error("it was unpacked")
	}
	if _, err := os.Stat(folder); err == nil {
		t.Error("files are left")
	}
}

func TestWrongManifests(t *testing.T) {
	for change, want := range map[[2]string]string{
		{`"manifest_version":"0.3"`, `"manifest_version":"9"`}:                     `manifest_version "9" is not known`,
		{`"name":"good"`, `"name":" "`}:                                            "name is missing",
		{`"author":{"name":"Ann"}`, `"author":{}`}:                                 "author.name is missing",
		{`"type":"binary"`, `"type":"wasm"`}:                                       `server.type "wasm" is not known`,
		{`"entry_point":"server/run"`, `"entry_point":"../x"`}:                     "is no file of the bundle",
		{`"entry_point":"server/run"`, `"entry_point":"y"`}:                        "is no file of the bundle",
		{`"command":"${__dirname}/server/run",`, ``}:                               "command is missing",
		{`"type":"directory"`, `"type":"color"`}:                                   "is not known",
		{`"name":"good"`, `"name":"good","compatibility":{"platforms":["plan9"]}`}: "the bundle is for plan9",
		{`"name":"good"`, `"name":7`}:                                              "cannot be read",
	} {
		manifest := strings.Replace(goodManifest, change[0], change[1], 1)
		if _, err := setup.OpenBundle(bundle(t, manifest)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", change[1], err, want)
		}
	}
}
