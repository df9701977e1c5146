package deno

import (
	"io"
	"net/http"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// A script without modules is sent with the job. Modules can import each other in a cycle, so
// their addresses must be known before their texts: the process fetches such scripts from the
// loopback server.

// modules describes a script with modules to the loader.
type modules struct {
	Folder string   `json:"folder"` // address to which the paths are relative
	Script string   `json:"script"` // path of the script itself
	Names  []string `json:"names"`  // names of the first file and the modules: "./" and the path
}

// Paths that no module can have.
const (
	scriptPath = "(script).js"
	firstPath  = "(first).js" // see loader/main.js
)

func (r *denoRun) modules() *modules {
	if len(r.job.Compiled.Modules) == 0 {
		return nil
	}
	m := &modules{Folder: r.folder(), Script: scriptPath, Names: []string{firstPath}}
	for _, file := range r.job.Compiled.Modules {
		m.Names = append(m.Names, runner.ModuleName(file.Path))
	}
	return m
}

func (r *denoRun) folder() string {
	return r.process.engine.loopback.url(r.process.capability) + "/runtime/script/"
}

// file returns the code of a file of the script. Each file imports the first one.
func (r *denoRun) file(path string) (code string, ok bool) {
	switch path {
	case firstPath:
		return "await null", true
	case scriptPath:
		code, ok = r.job.Compiled.JavaScript, true
	default:
		code, ok = r.source.Code(runner.ModuleName(path))
	}
	return code + "\nimport \"" + r.folder() + firstPath + "\";", ok
}

// giveFile responds with a file of the script.
func giveFile(w http.ResponseWriter, request *http.Request, to *endpoint) {
	run := to.current()
	if run == nil {
		refuse(w, http.StatusConflict, toolscript.Conflict, "no run is in progress")
		return
	}
	code, ok := run.file(request.PathValue("path"))
	if !ok {
		refuse(w, http.StatusNotFound, toolscript.NotFound, "no such module")
		return
	}
	w.Header().Set("Content-Type", "application/javascript; charset=utf-8")
	_, _ = io.WriteString(w, code) //nolint:gosec // for Deno, not for a browser
}
