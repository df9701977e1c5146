package documents

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// SaveToFC is the tool saveToFC.
var SaveToFC = tool.Tool{
	Name:  "saveToFC",
	Title: "Save a document",
	Description: "Save a text in the file cabinet of the workspace, where it stays after the run, and announce it on the board. " +
		"A document with the same fileKey is replaced.",
	Input: `{"type": "object", "required": ["content"], "additionalProperties": false, "properties": {
		"content": {"type": "string"},
		"fileKey": {"type": "string", "minLength": 1, "maxLength": 200, "description": "default: a new key"},
		"title": {"type": "string", "description": "for the board; default: the first line"}}}`,
	Output: `{"type": "object", "required": ["fileKey", "tokens", "success"], "additionalProperties": false, "properties": {
		"fileKey": {"type": "string", "description": "for fetchFromFC"},
		"tokens": {"type": "integer", "description": "of the content, estimated"},
		"success": {"type": "boolean"}}}`,
	Annotations: saves(),
	Run:         tool.Func(saveToFC),
}

// FetchFromFC is the tool fetchFromFC.
var FetchFromFC = tool.Tool{
	Name:  "fetchFromFC",
	Title: "Read documents",
	Description: "Read documents of the file cabinet: those of saveToFC, and the pages that fetchUrl has fetched in the last week. " +
		"Without fileKey, list the board: what the cabinet has, the newest first, at most 100.",
	Input: `{"type": "object", "additionalProperties": false, "properties": {
		"fileKey": {"type": ["string", "array"], "items": {"type": "string"}, "maxItems": 100}}}`,
	Output: `{"type": "object", "required": ["documents", "announcements"], "additionalProperties": false, "properties": {
		"documents": {"type": "array", "items": {"type": "object", "required": ["fileKey", "title", "tokens", "savedAt", "content"], "additionalProperties": false,
			"properties": {"fileKey": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}, "tokens": {"type": "integer"},
			"savedAt": {"type": "string", "format": "date-time"}, "content": {"type": "string"}}}},
		"announcements": {"type": "array", "description": "empty with fileKey", "items": {"type": "object", "required": ["fileKey", "title", "tokens", "savedAt"], "additionalProperties": false,
			"properties": {"fileKey": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}, "tokens": {"type": "integer"},
			"savedAt": {"type": "string", "format": "date-time"}}}}}}`,
	Annotations: tool.Reads(),
	Run:         tool.Func(fetchFromFC),
}

// SavePrompt is the tool prompts.save.
var SavePrompt = tool.Tool{
	Name:        "prompts.save",
	Title:       "Save a prompt",
	Description: "Save a prompt in the workspace. A prompt with the same promptKey is replaced.",
	Input: `{"type": "object", "required": ["content"], "additionalProperties": false, "properties": {
		"content": {"type": "string"},
		"promptKey": {"type": "string", "minLength": 1, "maxLength": 200, "description": "default: a new key"}}}`,
	Output: `{"type": "object", "required": ["promptKey", "tokens", "success"], "additionalProperties": false, "properties": {
		"promptKey": {"type": "string", "description": "for prompts.get"},
		"tokens": {"type": "integer", "description": "of the content, estimated"},
		"success": {"type": "boolean"}}}`,
	Annotations: saves(),
	Run:         tool.Func(savePrompt),
}

// GetPrompt is the tool prompts.get.
var GetPrompt = tool.Tool{
	Name:        "prompts.get",
	Title:       "Read a prompt",
	Description: "Read a prompt that prompts.save has saved.",
	Input: `{"type": "object", "required": ["promptKey"], "additionalProperties": false, "properties": {
		"promptKey": {"type": "string"}}}`,
	Output: `{"type": "object", "required": ["promptKey", "content", "tokens"], "additionalProperties": false, "properties": {
		"promptKey": {"type": "string"}, "content": {"type": "string"}, "tokens": {"type": "integer", "description": "estimated"}}}`,
	Annotations: tool.Reads(),
	Run:         tool.Func(getPrompt),
}

// saves returns the annotations of a tool that changes only the store.
func saves() toolscript.Annotations {
	a, no := tool.Changes(), false
	a.Destructive = &no
	return a
}

type saveArgs struct {
	Content   string `json:"content"`
	FileKey   string `json:"fileKey"`
	Title     string `json:"title"`
	PromptKey string `json:"promptKey"`
}

type saved struct {
	FileKey   string `json:"fileKey,omitempty"`
	PromptKey string `json:"promptKey,omitempty"`
	Tokens    int    `json:"tokens"`
	Success   bool   `json:"success"`
}

func saveToFC(_ context.Context, w *tool.Workspace, args saveArgs) (saved, error) {
	if len(args.Title) > MaxTitle {
		return saved{}, &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf("the title has %d bytes; at most %d are kept", len(args.Title), MaxTitle)}
	}
	s, err := Of(w)
	if err != nil {
		return saved{}, err
	}
	d := Document{Announcement{args.FileKey, args.Title, "", Tokens(args.Content), time.Now().UTC()}, args.Content}
	if d.FileKey == "" {
		d.FileKey = "doc_" + newKey()
	}
	if d.Title == "" {
		d.Title = firstLine(args.Content)
	}
	if err := s.Save(d); err != nil {
		return saved{}, err
	}
	return saved{FileKey: d.FileKey, Tokens: d.Tokens, Success: true}, nil
}

func savePrompt(_ context.Context, w *tool.Workspace, args saveArgs) (saved, error) {
	s, err := Of(w)
	if err != nil {
		return saved{}, err
	}
	if args.PromptKey == "" {
		args.PromptKey = "prompt_" + newKey()
	}
	if err := s.SavePrompt(args.PromptKey, args.Content); err != nil {
		return saved{}, err
	}
	return saved{PromptKey: args.PromptKey, Tokens: Tokens(args.Content), Success: true}, nil
}

func newKey() string { return strings.ToLower(rand.Text()[:12]) }

// maxTitle is the maximum length of a title made from a line, in runes.
const maxTitle = 80

// firstLine returns the first line of a text that is not blank, without the characters that
// mark a heading.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(strings.TrimLeft(line, "# \t")); line != "" {
			runes := []rune(line)
			return string(runes[:min(len(runes), maxTitle)])
		}
	}
	return ""
}

type fetchArgs struct {
	FileKey tool.Strings `json:"fileKey"`
}

type fetched struct {
	Documents     []Document     `json:"documents"`
	Announcements []Announcement `json:"announcements"`
}

func fetchFromFC(ctx context.Context, w *tool.Workspace, args fetchArgs) (r fetched, err error) {
	r = fetched{[]Document{}, []Announcement{}}
	s, err := Of(w)
	if err != nil {
		return r, err
	}
	if args.FileKey == nil {
		r.Announcements, err = s.Board()
		return r, err
	}
	documents, err := s.Documents(ctx, args.FileKey...)
	r.Documents = append(r.Documents, documents...)
	return r, err
}

type promptArgs struct {
	PromptKey string `json:"promptKey"`
}

type prompt struct {
	PromptKey string `json:"promptKey"`
	Content   string `json:"content"`
	Tokens    int    `json:"tokens"`
}

func getPrompt(ctx context.Context, w *tool.Workspace, args promptArgs) (prompt, error) {
	s, err := Of(w)
	if err != nil {
		return prompt{}, err
	}
	content, err := s.Prompt(ctx, args.PromptKey)
	return prompt{args.PromptKey, content, Tokens(content)}, err
}
