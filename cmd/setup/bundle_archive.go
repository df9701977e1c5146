package setup

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Bounds of a bundle. The largest known ones have node_modules of some hundred megabytes.
const (
	maxBundle         = 512 << 20 // bytes of the file
	mostBundleFiles   = 50_000
	maxBundledFile    = 512 << 20 // bytes of one file in it
	maxUnpacked       = 1 << 30   // bytes of all files in it
	suspectUnpacked   = 64 << 20  // bytes from which the compression must be plausible
	mostCompression   = 100       // maximum ratio of the unpacked bytes to the bytes of the file, above suspectUnpacked
	longestBundlePath = 400
)

// Bundle is an open MCPB file: a ZIP archive with an MCP server and its manifest.
type Bundle struct {
	Manifest Manifest

	file  *os.File
	files []*zip.File
}

// OpenBundle opens a bundle and checks its manifest and the names, kinds and sizes of its files. The
// caller closes it.
func OpenBundle(name string) (_ *Bundle, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxBundle { // checked before opening, because opening a pipe waits for its writer
		return nil, fmt.Errorf("a bundle is a file of at most %d MB", maxBundle>>20)
	}
	f, err := os.Open(name) //nolint:gosec // G304: the user names the file
	if err != nil {
		return nil, err
	}
	b := &Bundle{file: f}
	defer func() {
		if err != nil {
			_ = f.Close() // it was only read
		}
	}()
	archive, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("it is no ZIP archive: %w", err)
	}
	if b.files, err = checkFiles(archive.File, info.Size()); err != nil {
		return nil, err
	}
	if b.Manifest, err = b.manifest(); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	return b, nil
}

// digest returns the SHA-256 of the file in hexadecimal digits.
func (b *Bundle) digest() (string, error) {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(b.file, 0, maxBundle)); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// Close closes the file.
func (b *Bundle) Close() error { return b.file.Close() }

// checkFiles returns the files of an archive, without its folders.
func checkFiles(all []*zip.File, size int64) ([]*zip.File, error) {
	if len(all) > mostBundleFiles {
		return nil, fmt.Errorf("it has %d files, more than %d", len(all), mostBundleFiles)
	}
	known := map[string]bool{}
	var files []*zip.File
	var total uint64
	for _, f := range all {
		if err := checkName(f.Name); err != nil {
			return nil, fmt.Errorf("file %.200q: %w", f.Name, err)
		}
		switch mode := f.Mode(); {
		case mode.IsDir():
			continue
		case !mode.IsRegular():
			return nil, fmt.Errorf("file %.200q is a link or a device", f.Name)
		case f.Flags&1 != 0:
			return nil, fmt.Errorf("file %.200q is encrypted", f.Name)
		case f.UncompressedSize64 > maxBundledFile:
			return nil, fmt.Errorf("file %.200q has more than %d MB", f.Name, maxBundledFile>>20)
		}
		folded := strings.ToLower(f.Name)
		if known[folded] {
			return nil, fmt.Errorf("file %.200q is there twice", f.Name)
		}
		known[folded] = true
		total += f.UncompressedSize64
		files = append(files, f)
	}
	if total > maxUnpacked {
		return nil, fmt.Errorf("its files have %d MB, more than %d MB", total>>20, maxUnpacked>>20)
	}
	if total > suspectUnpacked && total > mostCompression*uint64(size) { //nolint:gosec // G115: a size is not negative
		return nil, fmt.Errorf("its files have %d MB, which is more than %d times its own size", total>>20, mostCompression)
	}
	return files, nil
}

// checkName returns an error for a name that could lead out of the folder of the bundle on some system.
func checkName(name string) error {
	clean := strings.TrimSuffix(name, "/")
	switch {
	case len(name) > longestBundlePath:
		return errors.New("its name is too long")
	case !fs.ValidPath(clean) || clean == "." || !filepath.IsLocal(filepath.FromSlash(clean)):
		return errors.New("its name leads out of the bundle")
	case strings.ContainsAny(name, `\:`) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("its name has characters that are not allowed")
	}
	return nil
}

// has reports whether the bundle has a file.
func (b *Bundle) has(name string) bool { return b.find(name) != nil }

func (b *Bundle) find(name string) *zip.File {
	for _, f := range b.files {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Unpack writes the files of the bundle into a folder, which must not exist. After an error nothing is left.
func (b *Bundle) Unpack(ctx context.Context, folder string) (err error) {
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, root.Close())
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	for _, f := range b.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := unpackFile(root, f, b.Manifest.runs(f.Name)); err != nil {
			return fmt.Errorf("file %.200q: %w", f.Name, err)
		}
	}
	return nil
}

// unpackFile writes one file. It writes no more than the archive has announced.
func unpackFile(root *os.Root, f *zip.File, program bool) (err error) {
	mode := fs.FileMode(0o600)
	if program || f.Mode()&0o111 != 0 {
		mode = 0o700
	}
	if folder := path.Dir(f.Name); folder != "." {
		if err := root.MkdirAll(filepath.FromSlash(folder), 0o700); err != nil {
			return err
		}
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	to, err := root.OpenFile(filepath.FromSlash(f.Name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	n, err := io.Copy(to, io.LimitReader(from, int64(f.UncompressedSize64)+1)) //nolint:gosec // G115: checked by checkFiles
	err = errors.Join(err, to.Close())
	if err == nil && n != int64(f.UncompressedSize64) { //nolint:gosec // G115: as above
		return errors.New("it has another size than the archive says")
	}
	return err
}
