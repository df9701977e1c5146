package outside

import (
	"bufio"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/toolscript/toolscript/runner"
	"github.com/toolscript/toolscript/runner/internal/landlock"
)

// project is the configuration of a check. What the engine lacks of the library,
// such as Intl and eval, is not missed: the libraries without it are in the
// compiler that is built in.
const project = `{"compilerOptions":{"target":"esnext","module":"esnext","moduleResolution":"bundler","moduleDetection":"force",
"strict":true,"useUnknownInCatchVariables":false,"noEmit":true,"skipLibCheck":true,"lib":["esnext"],"types":[],
"paths":{"toolscript":["./toolscript.d.ts"]}},"files":["main.ts","globals.d.ts"]}`

// languageError is the severity of an error in the protocol of language servers.
const languageError = 1

// diagnosticReport is the answer to textDocument/diagnostic.
type diagnosticReport struct {
	Items []struct {
		Severity int    `json:"severity"`
		Code     int    `json:"code"`
		Message  string `json:"message"`
		Range    struct {
			Start struct {
				Line      int `json:"line"`      // from 0
				Character int `json:"character"` // from 0, in UTF-16 units
			} `json:"start"`
		} `json:"range"`
	} `json:"items"`
}

// checkTypeScript asks the compiler as a language server, in which the script is
// an open document.
func checkTypeScript(ctx context.Context, c *Checker, folder, text string, limit runner.Effort) ([]runner.Finding, error) {
	if err := write(folder, map[string]string{"tsconfig.json": project}); err != nil {
		return nil, unavailable(err)
	}
	cmd := exec.Command(c.TypeScript, "--lsp", "--stdio") //nolint:gosec,noctx // the user's compiler; begin ends it with ctx
	cmd.Dir, cmd.Env = folder, []string{"NO_COLOR=1", "HOME=" + folder}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, unavailable(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, unavailable(err)
	}
	p, err := begin(ctx, cmd, landlock.Access{Read: []string{filepath.Dir(c.TypeScript), folder, "/proc/self"}, Write: []string{"/dev/null"}}, limit)
	if err != nil {
		return nil, err
	}
	report, err := diagnose(&rpc{w: in, r: bufio.NewReader(out)}, folder, text)
	if err := p.end(err); err != nil {
		return nil, err
	}
	var found []runner.Finding
	for _, d := range report.Items {
		if d.Severity == languageError { // the others are hints for editors
			found = append(found, runner.Finding{
				Line: d.Range.Start.Line + 1, Column: d.Range.Start.Character + 1, Code: fmt.Sprintf("TS%d", d.Code), Message: d.Message,
			})
		}
	}
	return found, nil
}

// diagnose opens the script and asks what is wrong with it.
func diagnose(server *rpc, folder, text string) (report diagnosticReport, err error) {
	uri := "file://" + filepath.ToSlash(folder)
	main := map[string]any{"uri": uri + "/" + mainFile}
	hello := map[string]any{
		"processId": nil, "rootUri": uri,
		"capabilities": map[string]any{"textDocument": map[string]any{"diagnostic": map[string]any{}}, "workspace": map[string]any{"configuration": true}},
	}
	var welcome any
	if err := server.call("initialize", hello, &welcome); err != nil {
		return report, unavailable(err)
	}
	if err := server.notify("initialized", map[string]any{}); err != nil {
		return report, unavailable(err)
	}
	document := map[string]any{"uri": main["uri"], "languageId": "typescript", "version": 1, "text": text}
	if err := server.notify("textDocument/didOpen", map[string]any{"textDocument": document}); err != nil {
		return report, unavailable(err)
	}
	if err := server.call("textDocument/diagnostic", map[string]any{"textDocument": main}, &report); err != nil {
		return report, unavailable(err)
	}
	return report, nil
}
