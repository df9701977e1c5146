// Package doctor finds problems of an installation: in the configuration, the servers, the
// running gateways, the folders, and the processes that run scripts.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/config"
	"github.com/toolscript/toolscript/cmd/daemon"
	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/runner/confined"
	"github.com/toolscript/toolscript/runner/quickjs"
)

// Options describe the environment to examine.
type Options struct {
	Host    *daemon.Host
	Env     []string         // in the form of os.Environ
	Runtime discovery.Places // folders with the entries of gateways
	Home    string           // home folder of the user
	URL     string           // URL of the gateway that commands must use; "" if they search for one
	Port    string           // port for a new gateway; "" for any port
	Trust   bool             // use the project's configuration without trusting it
	Probe   bool             // start and connect to every server, and open the search model
}

// Levels of a finding.
const (
	Broken  = "error"   // something that is configured does not work
	Warning = "warning" // something works with a restriction
)

// Finding is one problem.
type Finding struct {
	Level   string `json:"level"`         // Broken or Warning
	Subject string `json:"subject"`       // such as "server github"
	Problem string `json:"problem"`       // one sentence
	Fix     string `json:"fix,omitempty"` // command or change that solves the problem
}

// Report is the result of Examine.
type Report struct {
	OK       bool   `json:"ok"` // there are no findings of level Broken
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Kernel   string `json:"kernel,omitempty"` // kernel release, on Linux
	Engine   string `json:"engine"`
	Cache    Cache  `json:"cache"`

	Files    []string                `json:"files"`    // configuration files
	Servers  []ServerFound           `json:"servers"`  // sorted by name
	Gateways []GatewayFound          `json:"gateways"` // running gateways
	Deno     toolscript.EngineStatus `json:"deno"`
	Workers  []Worker                `json:"workers"`

	// Confine lists the parts of confinement that this machine supports for servers with "confine".
	Confine []toolscript.Confinement `json:"confine"`

	Plugin   Plugin    `json:"plugin"`
	Findings []Finding `json:"findings"` // errors first
}

// Cache is the folder of everything that can be computed again.
type Cache struct {
	Folder string `json:"folder"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	Error  string `json:"error,omitempty"` // why the cache is not used
}

// examination is an examination in progress.
type examination struct {
	Options
	*Report
	loaded *config.Config // nil if the configuration has mistakes
}

func (x *examination) broken(subject, fix, format string, args ...any) {
	x.Findings = append(x.Findings, Finding{Broken, subject, fmt.Sprintf(format, args...), fix})
}

func (x *examination) warn(subject, fix, format string, args ...any) {
	x.Findings = append(x.Findings, Finding{Warning, subject, fmt.Sprintf(format, args...), fix})
}

// Examine examines the installation. It starts a process of each kind and, with Probe, all
// servers. It changes no files except caches.
func Examine(ctx context.Context, o Options) *Report {
	x := &examination{Options: o, Report: &Report{
		Version: toolscript.Version, Protocol: toolscript.Protocol, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, Kernel: kernelRelease(), Engine: quickjs.Name,
		Files: []string{}, Servers: []ServerFound{}, Gateways: []GatewayFound{}, Workers: []Worker{}, Confine: confined.Parts([]string{`the hosts of "net"`}), Findings: []Finding{},
	}}
	x.configuration()
	x.folders()
	x.servers(ctx)
	x.fleet(ctx)
	x.model(ctx)
	x.gateways(ctx)
	x.workers(ctx)
	x.plugin()
	slices.SortStableFunc(x.Findings, func(a, b Finding) int { return cmp.Compare(a.Level, b.Level) })
	x.OK = !slices.ContainsFunc(x.Findings, func(f Finding) bool { return f.Level == Broken })
	return x.Report
}

// validate is the fix for a mistake in a configuration file.
const validate = "correct the file, then: toolscript config validate"

// configuration loads and checks the configuration files.
func (x *examination) configuration() {
	const subject = "configuration"
	x.Host.Warn = func(format string, args ...any) { x.warn(subject, "", format, args...) }
	loaded, err := daemon.Read(x.Host.ConfigOptions(x.Trust))
	if err != nil {
		x.broken(subject, validate, "%v", err)
		return
	}
	x.loaded = loaded
	for _, m := range loaded.Mistakes {
		if m.Server == "" { // mistakes in servers become findings about the servers
			x.broken(subject, validate, "%s", m.Notice())
		}
	}
	for _, warning := range loaded.Warnings {
		x.Host.Warn("%s", warning)
	}
	for _, file := range loaded.Files {
		if file.Found {
			x.Files = append(x.Files, file.Path)
		}
	}
	if len(loaded.Servers) == 0 {
		x.warn(subject, config.AddServers, "no servers are configured")
	}
	if len(loaded.Untrusted) > 0 { // instead of the warning of Load
		x.Findings = slices.DeleteFunc(x.Findings, func(f Finding) bool { return strings.Contains(f.Problem, "toolscript trust") })
		x.warn(subject, "toolscript trust", "servers of the project are not started because you have not trusted its file: %s", strings.Join(loaded.Untrusted, ", "))
	}
}

// model examines the search model.
func (x *examination) model(ctx context.Context) {
	if x.loaded == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := x.Host.CheckModel(ctx, x.loaded.Settings.Search, x.Probe); err != nil {
		x.warn("search model", `correct "search" in `+config.FileName+", or remove it to use the embedded model",
			"tools are found by words only: %v", err)
	}
}

// folders examines the permissions of files that only the user may change or read.
func (x *examination) folders() {
	x.Cache = x.cache()
	if x.Cache.Error != "" {
		x.warn("cache", "name a folder of yours with --data-dir or TOOLSCRIPT_DATA_DIR", "there is no cache, so starts are slow: %s", x.Cache.Error)
	}
	for _, dir := range x.Runtime.Folders() {
		x.private("runtime folder", dir)
	}
	if data, err := config.DataDir(x.Host.Config); err == nil {
		x.private("data folder", data)
	}
	if store, err := x.Host.LoginStore(); err == nil {
		x.secretFiles("logins", store.Dir)
	}
	if store, err := config.SecretStore(x.Host.Config); err == nil {
		x.secretFiles("secrets", store.Dir)
	}
	if x.loaded != nil {
		for _, file := range x.loaded.Files {
			if file.Found && !file.Project {
				x.unwritable("configuration", file.Path)
			}
		}
	}
}

// groupOrOthers are the permissions that files with secrets must not have; otherWriters are
// those that files which name programs to start must not have.
const (
	groupOrOthers fs.FileMode = 0o077
	otherWriters  fs.FileMode = 0o022
)
