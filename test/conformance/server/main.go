// Command server is an MCP server on stdio with the prompts and resources that the conformance suite
// expects. The tests run it behind a gateway, so that the suite sees what passes through.
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// pixel is a PNG picture of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

func main() {
	s := server.NewMCPServer("fixture", "1.0.0",
		server.WithPromptCapabilities(true), server.WithResourceCapabilities(true, true), server.WithCompletions(), server.WithElicitation(),
		server.WithPromptCompletionProvider(completions{}))
	addResources(s)
	addPrompts(s)
	addConfirm(s)
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func addResources(s *server.MCPServer) {
	s.AddResource(mcp.NewResource("test://static-text", "static-text", mcp.WithMIMEType("text/plain")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return text(r, "This is the content of the static text resource."), nil
		})
	s.AddResource(mcp.NewResource("test://static-binary", "static-binary", mcp.WithMIMEType("image/png")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{mcp.BlobResourceContents{URI: r.Params.URI, MIMEType: "image/png", Blob: pixel}}, nil
		})
	s.AddResource(mcp.NewResource("test://watched-resource", "watched-resource", mcp.WithMIMEType("text/plain")),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return text(r, "This resource may be subscribed."), nil
		})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template"),
		func(_ context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(r.Params.URI, "test://template/"), "/data")
			return text(r, fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %[1]s"}`, id)), nil
		})
}

func text(r mcp.ReadResourceRequest, content string) []mcp.ResourceContents {
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: content}}
}

func addPrompts(s *server.MCPServer) {
	said := func(blocks ...mcp.Content) *mcp.GetPromptResult {
		r := &mcp.GetPromptResult{}
		for _, block := range blocks {
			r.Messages = append(r.Messages, mcp.NewPromptMessage(mcp.RoleUser, block))
		}
		return r
	}
	s.AddPrompt(mcp.NewPrompt("test_simple_prompt", mcp.WithPromptDescription("A prompt without arguments")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return said(mcp.NewTextContent("This is a simple prompt for testing.")), nil
		})
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_arguments", mcp.WithPromptDescription("A prompt with arguments"),
		mcp.WithArgument("arg1", mcp.RequiredArgument()), mcp.WithArgument("arg2", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			a := r.Params.Arguments
			return said(mcp.NewTextContent(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))), nil
		})
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_embedded_resource", mcp.WithPromptDescription("A prompt with a resource"),
		mcp.WithArgument("resourceUri", mcp.RequiredArgument())),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return said(mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: r.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
			}), mcp.NewTextContent("Please process the embedded resource above.")), nil
		})
	s.AddPrompt(mcp.NewPrompt("test_prompt_with_image", mcp.WithPromptDescription("A prompt with a picture")),
		func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return said(mcp.NewImageContent(pixel, "image/png"), mcp.NewTextContent("Please analyze the image above.")), nil
		})
}

// addConfirm adds a tool that asks the user, for the scenarios of tasks.
func addConfirm(s *server.MCPServer) {
	s.AddTool(mcp.NewTool("confirm", mcp.WithString("question", mcp.Required())), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
			Message: r.GetString("question", ""), RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{"confirm": map[string]any{"type": "boolean"}}},
		}})
		if err != nil {
			return nil, err
		}
		return mcp.NewToolResultText(string(answer.Action)), nil
	})
}

// completions completes the arguments of prompts.
type completions struct{}

// CompletePromptArgument implements server.PromptCompletionProvider.
func (completions) CompletePromptArgument(_ context.Context, _ string, argument mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	return &mcp.Completion{Values: []string{argument.Value + "-one", argument.Value + "-two"}, Total: 2}, nil
}
