package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/config/private"
)

func newCache(a *app) *cobra.Command {
	return group("cache", "Manage what is kept to start faster", &cobra.Command{
		Use:   "clear",
		Short: "Remove all caches; they are made again when they are needed",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return a.clearCache(c.Context()) },
	})
}

// cacheFolder is where everything is that can be made again.
func (a *app) cacheFolder() (string, error) {
	data, err := config.DataDir(a.config(false))
	if err != nil {
		return "", err
	}
	return filepath.Join(data, "cache"), nil
}

// clearCache removes the folder. What runs goes on: a file in use stays with who
// has it open.
func (a *app) clearCache(context.Context) error {
	folder, err := a.cacheFolder()
	if err != nil {
		return err
	}
	files, size, err := measure(folder)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return a.print("removed %d files (%.1f MB) from %s", files, float64(size)/(1<<20), folder)
}

// measure counts the files below a folder and their bytes. A folder that is not
// there holds none.
func measure(folder string) (files int, size int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			files++
			size += info.Size()
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return files, size, err
}

// usableCache makes the folder of one cache, for the user alone: it holds
// machine code. Without one everything works, and starts slower.
func (a *app) usableCache(name string) string {
	folder, err := a.cacheFolder()
	if err == nil {
		folder = filepath.Join(folder, name)
		err = private.Dir(folder)
	}
	if err != nil {
		a.cacheless.Do(func() { a.warn("running without caches: %v; name a folder of yours with --data-dir", err) })
		return ""
	}
	return folder
}
