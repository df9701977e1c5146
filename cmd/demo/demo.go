// Package demo is a small MCP server with read-only tools over one directory. New users can
// write scripts for it; tests use it because it needs nothing else.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolscript/toolscript/cmd/app"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscript/toolscript"
)

const instructions = "Read-only tools over the files of one directory. " +
	"Paths are relative to it and use slashes; nothing outside it can be reached. " +
	".git and node_modules are skipped unless a path leads into them."

// Serve speaks MCP on in and out until in ends. It returns the error of ctx if ctx ends
// first. mcp-go has one such session per process, so only one Serve may run at a time.
func Serve(ctx context.Context, dir string, in io.Reader, out io.Writer) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot serve the files of %s: %w", dir, err)
	}
	defer func() { _ = root.Close() }() // it was only read
	files := &files{root}
	s := server.NewMCPServer("toolscript-demo", toolscript.Version,
		server.WithTitle("Files"), server.WithInstructions(instructions), server.WithToolCapabilities(false),
		server.WithRecovery(), server.WithInputSchemaValidation(), server.WithOutputSchemaValidation())
	s.AddTools(
		listTool.serve(answer(files.list)),
		readTool.serve(answer(files.read)),
		searchTool.serve(answer(files.search)),
		statsTool.serve(answer(files.stats)),
		treeTool.serve(answer(files.tree)),
	)
	stdio := server.NewStdioServer(s)
	server.WithQueueSize(10_000)(stdio) // if the queue is full, mcp-go answers on the goroutine that reads
	return stdio.Listen(ctx, in, out)
}

// announcement describes a tool for clients. The schemas are written by hand, because
// mcp-go makes every list nullable.
type announcement struct {
	name, title, description string
	input, output            string
}

// serve combines an announcement with its handler.
func (a announcement) serve(handler server.ToolHandlerFunc) server.ServerTool {
	tool := mcp.NewToolWithRawSchema(a.name, a.description, json.RawMessage(a.input))
	tool.Title = a.title
	tool.RawOutputSchema = json.RawMessage(a.output)
	tool.Annotations = mcp.ToolAnnotation{ReadOnlyHint: new(true), DestructiveHint: new(false), IdempotentHint: new(true), OpenWorldHint: new(false)}
	return server.ServerTool{Tool: tool, Handler: handler}
}

// answer converts a function of this package to a handler. An error becomes a result with
// isError.
func answer[A, R any](run func(context.Context, A) (R, error)) server.ToolHandlerFunc {
	return func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var args A
		if err := request.BindArguments(&args); err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		result, err := run(ctx, args)
		if err != nil {
			return mcp.NewToolResultError(reason(err)), nil
		}
		return mcp.NewToolResultStructuredOnly(result), nil
	}
}

// reason returns the text of an error without the system call: "a.txt: no such file or
// directory".
func reason(err error) string {
	if failed, is := errors.AsType[*fs.PathError](err); is {
		return failed.Path + ": " + failed.Err.Error()
	}
	return err.Error()
}

// New makes the command of the MCP server in the examples. The server has no dependencies.
func New(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:    "mcp-demo [FOLDER]",
		Short:  "Serve read-only tools over a folder, as an MCP server on stdio",
		Hidden: true,
		Args:   app.Takes("[FOLDER]"),
		RunE: func(c *cobra.Command, args []string) error {
			folder := a.Dir
			if len(args) > 0 {
				folder = a.Absolute(args[0])
			}
			return Serve(c.Context(), folder, a.Stdin, a.Stdout)
		},
	}
}
