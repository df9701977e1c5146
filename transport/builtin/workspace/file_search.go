package workspace

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// FileSearch is the tool fileSearch.
var FileSearch = tool.Tool{
	Name:  "fileSearch",
	Title: "Find files by name",
	Description: "Find files whose path has the letters of a text in this order (srvconn finds actors/server/conn.go), or matches a glob " +
		"such as *.test.ts. The best come first. Hidden files and files that .gitignore names are left out.",
	Input: `{"type": "object", "required": ["pattern"], "additionalProperties": false, "properties": {
		"pattern": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "letters of the path, or a glob"},
		"limit": {"type": "integer", "minimum": 1, "default": 50, "description": "how many files to return"},
		"searchDirectory": {"type": "string", "description": "the folder to search; default: the root"},
		"exclude": {"type": "array", "items": {"type": "string"}, "description": "patterns of files and folders to leave out, as in .gitignore"}}}`,
	Output: `{"type": "object", "required": ["files"], "additionalProperties": false, "properties": {
		"files": {"type": "array", "items": {"type": "object", "required": ["path", "score"], "additionalProperties": false, "properties": {
			"path": {"type": "string", "description": "relative to the root of the server"},
			"score": {"type": "number", "description": "higher is better; only the scores of one search can be compared"}}}}}}`,
	Annotations: tool.Reads(),
	Run:         tool.Func(fileSearch),
}

type fileSearchArgs struct {
	Pattern         string   `json:"pattern"`
	Limit           int      `json:"limit"`
	SearchDirectory string   `json:"searchDirectory"`
	Exclude         []string `json:"exclude"`
}

type fileSearchResult struct {
	Files []foundFile `json:"files"`
}

type foundFile struct {
	Path  string `json:"path"`
	Score int    `json:"score"`
}

func fileSearch(ctx context.Context, w *tool.Workspace, args fileSearchArgs) (fileSearchResult, error) {
	if args.SearchDirectory == "" {
		args.SearchDirectory = "."
	}
	dir, err := w.Path(args.SearchDirectory, "")
	if err != nil {
		return fileSearchResult{}, err
	}
	score, err := scorer(ctx, args.Pattern)
	if err != nil {
		return fileSearchResult{}, err
	}
	excluded := ParseRules(dir, args.Exclude...)
	top := strings.TrimPrefix(filepath.ToSlash(dir)+"/", "./")
	out := fileSearchResult{Files: []foundFile{}}
	err = Walk(ctx, w, dir, func(name string) bool {
		if points, found := score(strings.TrimPrefix(name, top)); found && !excluded.Matches(ctx, name, false) {
			out.Files = append(out.Files, foundFile{name, points})
		}
		return true
	})
	slices.SortStableFunc(out.Files, func(a, b foundFile) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Path, b.Path))
	})
	limit := args.Limit
	if limit == 0 {
		limit = 50
	}
	out.Files = out.Files[:min(len(out.Files), limit)]
	return out, err
}

// scorer returns a function that scores a path against a pattern. If the pattern is a glob,
// all matching paths have the same score. Otherwise, a match within the file name adds to
// the score of the match in the whole path.
func scorer(ctx context.Context, pattern string) (func(name string) (score int, found bool), error) {
	if strings.ContainsAny(pattern, "*?[{") {
		matches, err := Glob(ctx, pattern)
		return func(name string) (int, bool) { return 1, err == nil && matches(name) }, err
	}
	letters := strings.Join(strings.Fields(pattern), "")
	return func(name string) (int, bool) {
		whole := fuzzy.FindNoSort(letters, []string{name})
		if len(whole) == 0 {
			return 0, false
		}
		score := whole[0].Score
		if inName := fuzzy.FindNoSort(letters, []string{path.Base(name)}); len(inName) > 0 {
			score += max(inName[0].Score, 0) + len(letters)
		}
		return score, true
	}, nil
}
