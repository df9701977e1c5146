package config

import (
	"context"
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
	"github.com/toolscript/toolscript/internal/files"
)

// grant holds the definitions of one file that the user trusts. They are stored as text, so
// that changes can be shown.
type grant struct {
	Path     string            `json:"path"`
	At       time.Time         `json:"at"`
	Servers  map[string]string `json:"servers"`            // definitions by name; nil in a damaged record, which trusts nothing
	Settings map[string]string `json:"settings,omitempty"` // definitions by name; see settingDefinition
	Scripts  map[string]string `json:"scripts,omitempty"`  // texts of saved scripts by name
}

// server reports whether the user trusts this definition of a server. A nil grant trusts
// nothing.
func (g *grant) server(name, definition string) bool {
	return g != nil && g.Servers[name] == definition
}

// setting reports whether the user trusts this definition of a setting; "" needs no trust.
func (g *grant) setting(name, definition string) bool {
	return definition == "" || g != nil && g.Settings[name] == definition
}

// all reports whether the user trusts the whole file.
func (g *grant) all(d definitions) bool {
	for name, definition := range d.servers {
		if !g.server(name, definition) {
			return false
		}
	}
	for name, definition := range d.settings {
		if !g.setting(name, definition) {
			return false
		}
	}
	return g != nil && g.scripts(d.scripts)
}

// write stores the grant.
func (g *grant) write(dataDir string) error {
	g.At = time.Now().UTC().Truncate(time.Second)
	record, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("trust %s: %w", g.Path, err)
	}
	dir := trustDir(dataDir)
	if err := files.PrivateDir(dir); err != nil {
		return cannotRecord(g.Path, err)
	}
	if err := files.WriteSynced(grantFile(dir, g.Path), record); err != nil {
		return cannotRecord(g.Path, err)
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

// readGrant reads the trusted definitions of a file. The error is fs.ErrNotExist if nothing
// was trusted.
func readGrant(dataDir, path string) (*grant, error) {
	dir := trustDir(dataDir)
	if err := files.CheckPrivateDir(dir); err != nil {
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
	if g.Path != path || g.Servers == nil {
		return nil, fs.ErrNotExist
	}
	return &g, nil
}

func trustDir(dataDir string) string { return filepath.Join(dataDir, "trust") }

// grantFile returns the path of a file's grant. The name is a hash, because a path may be
// longer than a file name may be.
func grantFile(dir, path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(dir, hex.EncodeToString(sum[:])+".json")
}

// Distrust removes the trust in a file, which need not exist any more. It returns the
// file's path and whether anything was trusted. path means the same as in ReviewTrust.
func Distrust(o Options, path string) (file string, trusted bool, err error) {
	dir, err := DataDir(o)
	if err != nil {
		return "", false, err
	}
	if file, err = o.trustPath(path); err != nil {
		return "", false, err
	}
	grant := grantFile(trustDir(dir), file)
	if _, err := os.Lstat(grant); err == nil {
		unlock, err := files.LockFolder(context.Background(), trustDir(dir)) // otherwise TrustScript could write it again
		if err != nil {
			return file, false, fmt.Errorf("%s is still trusted: %w", file, err)
		}
		defer unlock()
	}
	switch err := os.Remove(grant); {
	case err == nil:
		return file, true, nil
	case errors.Is(err, fs.ErrNotExist):
		return file, false, nil
	default:
		return file, false, fmt.Errorf("%s is still trusted: %w", file, err)
	}
}

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
