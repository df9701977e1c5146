package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config/private"
)

// grant is what the user trusted: one text of one file. The text itself is kept
// so that a change can be shown.
type grant struct {
	Path string    `json:"path"`
	Text []byte    `json:"text"`
	At   time.Time `json:"at"`
}

// Trust records that the file with this content may take effect. path is that of
// File.Path; content is what the user was shown, which the file may no longer
// hold.
func Trust(dataDir, path string, content []byte) error {
	record, err := json.Marshal(grant{path, content, time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("trust %s: %w", path, err)
	}
	dir := trustDir(dataDir)
	if err := private.Dir(dir); err != nil {
		return cannotRecord(path, err)
	}
	if err := private.WriteFile(grantFile(dir, path), record); err != nil {
		return cannotRecord(path, err)
	}
	return nil
}

func cannotRecord(path string, err error) error {
	return &toolscript.Error{
		Kind: toolscript.Invalid,
		Err: fmt.Errorf("cannot record that %s is trusted: %w; choose a folder you can write to with --data-dir or "+
			"TOOLSCRIPT_DATA_DIR, or pass --trust to exec and gateway start", path, err),
	}
}

// Trusted reports whether the user trusted the file with exactly this content.
// Whatever is wrong with the record or its folder means no.
func Trusted(dataDir, path string, content []byte) bool {
	g, err := readGrant(dataDir, path)
	return err == nil && bytes.Equal(g.Text, content)
}

// readGrant reads what was last trusted of a file. The error is fs.ErrNotExist
// when nothing was.
func readGrant(dataDir, path string) (*grant, error) {
	dir := trustDir(dataDir)
	if err := private.Check(dir); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(grantFile(dir, path))
	if err != nil {
		return nil, err
	}
	var g grant
	if err := json.Unmarshal(text, &g); err != nil {
		return nil, fmt.Errorf("%s: %w", grantFile(dir, path), err)
	}
	if g.Path != path {
		return nil, fs.ErrNotExist
	}
	return &g, nil
}

func trustDir(dataDir string) string { return filepath.Join(dataDir, "trust") }

// grantFile has the hash of the path in its name: a path may be longer than a
// name may be.
func grantFile(dir, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".json")
}

// Review is what the user is shown before a file is trusted.
type Review struct {
	Path    string
	Trusted bool   // with this content, so there is nothing to decide
	Known   bool   // an earlier content was trusted
	Diff    string // what is new since then; of an unknown file all of it

	dataDir string
	content []byte
}

// ReviewTrust reads what `toolscript trust [PATH]` is about: the file, the one
// in that folder, or with an empty path the project's file that Locate finds. A
// file that is no JSON cannot be trusted.
func ReviewTrust(o Options, path string) (*Review, error) {
	dir, err := DataDir(o)
	if err != nil {
		return nil, err
	}
	if path, err = o.trustPath(path); err != nil {
		return nil, err
	}
	content, err := read(File{Path: path})
	if err != nil {
		return nil, &toolscript.Error{Kind: toolscript.NotFound, Err: err}
	}
	if _, err := parse(path, content); err != nil {
		return nil, &toolscript.Error{Kind: toolscript.Invalid, Err: err}
	}
	r := &Review{Path: path, dataDir: dir, content: content}
	var before []byte
	switch g, err := readGrant(dir, path); {
	case err == nil:
		r.Known, r.Trusted, before = true, bytes.Equal(g.Text, content), g.Text
	case !errors.Is(err, fs.ErrNotExist):
		return nil, cannotRecord(path, err)
	}
	r.Diff = lineDiff(string(before), string(content))
	return r, nil
}

// Accept trusts the content that was reviewed.
func (r *Review) Accept() error { return Trust(r.dataDir, r.Path, r.content) }

func (o Options) trustPath(path string) (string, error) {
	if path == "" {
		work, err := o.workDir()
		if err != nil {
			return "", fmt.Errorf("working directory: %w", err)
		}
		if path, ok := projectFile(resolved(work), o.home()); ok {
			return path, nil
		}
		return "", &toolscript.Error{
			Kind: toolscript.NotFound,
			Err:  fmt.Errorf("no %s in %s or above it; name one: toolscript trust PATH", FileName, work),
		}
	}
	path, err := o.absolute(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	return canonical(path), nil
}
