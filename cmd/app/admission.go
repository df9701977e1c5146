package app

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/toolscript/toolscript/internal/files"
)

// AdmissionTime is the time within which an admitted command may begin: the person may
// answer the client's question late.
const AdmissionTime = 10 * time.Minute

// Admissions holds the commands of an agent about which the client asks the person. Each
// command may begin once, with exactly these arguments in exactly this folder.
type Admissions struct{ Dir string }

// Add admits a command.
func (a Admissions) Add(args []string, folder string) error {
	if err := files.PrivateDir(a.Dir); err != nil {
		return err
	}
	a.sweep()
	return os.WriteFile(a.path(args, folder), nil, 0o600)
}

// Take reports whether a command was admitted, and ends its admission.
func (a Admissions) Take(args []string, folder string) bool {
	path := a.path(args, folder)
	info, err := os.Lstat(path)
	if err != nil || os.Remove(path) != nil { // of two equal commands, only one can remove it
		return false
	}
	return info.Mode().IsRegular() && time.Since(info.ModTime()) < AdmissionTime
}

// path returns the file of a command. The name is a hash, because arguments may contain secrets.
func (a Admissions) path(args []string, folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q in %q", args, folder))
	return filepath.Join(a.Dir, hex.EncodeToString(sum[:]))
}

// sweep removes the admissions that have expired.
func (a Admissions) sweep() {
	entries, _ := os.ReadDir(a.Dir) // files that stay do no harm
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) >= AdmissionTime {
			_ = os.Remove(filepath.Join(a.Dir, e.Name())) // a file that stays does no harm
		}
	}
}
