package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config/private"
	"github.com/toolscript/toolscript/runner/deno"
	"github.com/toolscript/toolscript/runner/quickjs"
	"github.com/toolscript/toolscript/runner/worker"
)

type doctorOptions struct {
	*app
	form form
}

func newDoctor(a *app) *cobra.Command {
	o := &doctorOptions{app: a}
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check how well this machine runs and confines scripts",
		Args:  takes(),
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context()) },
	}
	addForm(c.Flags(), &o.form, "print it as JSON")
	return c
}

// health is the result of doctor.
type health struct {
	Version  string      `json:"version"`
	Protocol int         `json:"protocol"`
	Go       string      `json:"go"`
	Platform string      `json:"platform"`
	Kernel   string      `json:"kernel,omitempty"` // of Linux
	Engine   string      `json:"engine"`
	Cache    cacheHealth `json:"cache"`

	Deno     toolscript.EngineStatus `json:"deno"`
	Workers  []workerHealth          `json:"workers"`
	Plugin   pluginHealth            `json:"plugin"`
	Warnings []string                `json:"warnings"`
}

type cacheHealth struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitempty"` // why the cache is not used
}

// workerHealth is the result of starting one worker.
type workerHealth struct {
	Role        string                   `json:"role"`
	StartMs     float64                  `json:"startMs,omitempty"`
	MemoryMB    float64                  `json:"memoryMb,omitempty"`
	Confinement []toolscript.Confinement `json:"confinement,omitempty"`
	Error       string                   `json:"error,omitempty"` // why it did not start
}

// run fails if no script can be run. A confinement that this system does not have is a
// warning.
func (o *doctorOptions) run(ctx context.Context) error {
	found := o.examine(ctx)
	write := found.write
	if o.form.structured() {
		write = func(w io.Writer) error { return o.form.write(w, found) }
	}
	if err := write(o.Stdout); err != nil {
		return err
	}
	for _, w := range found.Workers {
		if w.Error != "" && w.Role != toolscript.EngineDeno { // scripts run without Deno
			return &exitError{exitFailure}
		}
	}
	return nil
}

func (o *doctorOptions) examine(ctx context.Context) *health {
	h := &health{
		Version: toolscript.Version, Protocol: toolscript.Protocol, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernelRelease(), Engine: quickjs.Name,
		Warnings: []string{},
	}
	h.Cache = o.examineCache()
	options := worker.Options{Log: slog.New(slog.DiscardHandler)}
	if h.Cache.Error == "" {
		options.CacheDir = o.host.Cache("quickjs")
	} else {
		h.Warnings = append(h.Warnings, "there is no cache, so starts are slow:  "+h.Cache.Error)
	}
	h.Workers = []workerHealth{
		examineWorker("sandbox", func() (examined, error) { return worker.StartSandbox(ctx, options) }),
		examineWorker("checker", func() (examined, error) { return worker.StartChecker(ctx, options) }),
	}
	h.Plugin = o.examinePlugin()
	h.Deno = o.host.FindDeno(ctx)
	if h.Deno.Available {
		h.Workers = append(h.Workers, o.examineDeno(ctx, h.Deno.Path))
	}
	if h.Deno.Warning != "" {
		h.Warnings = append(h.Warnings, h.Deno.Warning)
	}
	for _, w := range h.Workers {
		h.Warnings = append(h.Warnings, w.warnings()...)
	}
	return h
}

// examineDeno examines a Deno process.
func (o *doctorOptions) examineDeno(ctx context.Context, path string) workerHealth {
	engine, err := deno.NewEngine(ctx, deno.Options{Executable: path, Folder: o.host.Cache("deno"), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return workerHealth{Role: toolscript.EngineDeno, Error: err.Error()}
	}
	h := examineWorker(toolscript.EngineDeno, func() (examined, error) { return engine.Start(ctx, "doctor") })
	if err := engine.Close(); err != nil && h.Error == "" {
		h.Error = err.Error()
	}
	return h
}

func (o *doctorOptions) examineCache() cacheHealth {
	var c cacheHealth
	var err error
	if c.Folder, err = o.host.CacheFolder(); err == nil {
		err = private.Dir(c.Folder)
	}
	if err == nil {
		c.Files, c.Bytes, err = measure(c.Folder)
	}
	if err != nil {
		c.Error = err.Error()
	}
	return c
}

// examined is a process that reports its confinement.
type examined interface {
	Confinement() []toolscript.Confinement
	RSS() int64
	Close()
}

// examineWorker starts a worker, reads its properties, and ends it.
func examineWorker(role string, start func() (examined, error)) workerHealth {
	h := workerHealth{Role: role}
	begun := time.Now()
	p, err := start()
	if err != nil {
		var classed *toolscript.Error
		if errors.As(err, &classed) {
			err = classed.Err
		}
		h.Error = err.Error()
		return h
	}
	defer p.Close()
	h.StartMs = float64(time.Since(begun).Microseconds()) / 1000
	h.MemoryMB = float64(p.RSS()) / (1 << 20)
	h.Confinement = p.Confinement()
	return h
}

func (h workerHealth) warnings() []string {
	if h.Error != "" {
		if h.Role == toolscript.EngineDeno {
			return []string{"scripts cannot be run on Deno: " + h.Error}
		}
		return []string{"scripts cannot be run: " + h.Error}
	}
	var all []string
	for _, part := range h.Confinement {
		if !part.Active {
			all = append(all, fmt.Sprintf("%s processes run without %s: %s", h.Role, part.Name, part.Detail))
		}
	}
	return all
}

// kernelRelease is the version of the Linux kernel; "" on other systems.
func kernelRelease() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// write prints the result as text.
func (h *health) write(w io.Writer) error {
	var b strings.Builder
	platform := h.Platform
	if h.Kernel != "" {
		platform += " (kernel " + h.Kernel + ")"
	}
	fmt.Fprintf(&b, "toolscript  %s, protocol %d, %s, %s\n", h.Version, h.Protocol, h.Go, platform)
	fmt.Fprintf(&b, "engine      %s\n", h.Engine)
	fmt.Fprintf(&b, "cache       %s: %d files, %.1f MB\n", visible(h.Cache.Folder), h.Cache.Files, float64(h.Cache.Bytes)/(1<<20))
	if h.Deno.Available {
		fmt.Fprintf(&b, "deno        %s at %s\n", visible(h.Deno.Version), visible(h.Deno.Path))
	} else {
		fmt.Fprintf(&b, "deno        missing: %s\n", visible(h.Deno.Reason))
	}
	for _, worker := range h.Workers {
		if worker.Error != "" {
			fmt.Fprintf(&b, "%-11s does not start\n", worker.Role)
			continue
		}
		fmt.Fprintf(&b, "%-11s ready in %.0f ms, %.0f MB, confined by:\n", worker.Role, worker.StartMs, worker.MemoryMB)
		for _, part := range worker.Confinement {
			state := "yes"
			if !part.Active {
				state = "NO"
			}
			fmt.Fprintf(&b, "  %-14s %-4s %s\n", part.Name, state, part.Detail)
		}
	}
	b.WriteString(h.Plugin.text())
	for _, warning := range h.Warnings {
		fmt.Fprintf(&b, "warning: %s\n", visible(warning))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
