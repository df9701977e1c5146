package doctor

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"
	"github.com/toolscript/toolscript/cmd/terminal"
)

// NewCache returns the command cache.
func NewCache(a *app.App) *cobra.Command {
	var out terminal.Form
	remove := &cobra.Command{
		Use:   "clear",
		Short: "Remove all caches; they are created again when they are needed",
		Args:  app.Takes(),
		RunE:  func(*cobra.Command, []string) error { return clearCache(a, out) },
	}
	terminal.AddForm(remove.Flags(), &out, "print what was removed as JSON")
	return app.Group("cache", "Manage the caches that save time at the start", remove)
}

// clearCache removes the cache folder. Processes that have a file open can continue to use it.
func clearCache(a *app.App, out terminal.Form) error {
	folder, err := a.Host.CacheFolder()
	if err != nil {
		return err
	}
	files, size, err := Measure(folder)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if out.Structured() {
		return out.Write(a.Stdout, struct {
			Folder string `json:"folder"`
			Files  int    `json:"files"`
			Bytes  int64  `json:"bytes"`
		}{folder, files, size})
	}
	return a.Print("removed %d files (%.1f MB) from %s", files, float64(size)/(1<<20), folder)
}
