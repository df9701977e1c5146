package workspace

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

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
	letters := []rune(strings.ToLower(strings.Join(strings.Fields(pattern), "")))
	return func(name string) (int, bool) {
		score, found := letterScore(letters, name)
		if !found {
			return 0, false
		}
		if inName, found := letterScore(letters, path.Base(name)); found {
			score += max(inName, 0) + len(letters)
		}
		return score, true
	}, nil
}

// Points of letterScore.
const (
	atBegin        = 10
	afterSeparator = 20 // a letter after one of /-_ .\
	atHump         = 20 // an upper-case letter after a lower-case one
	adjacent       = 5  // a letter directly after the previous letter; further adjacent letters get more
	maxLeading     = 3  // skipped letters before the first one that count
	leading        = 5
)

// letterScore scores how well the letters of a pattern, in lower case, occur in a text in their
// order. Of several places for a letter before the next letter, the best one counts.
func letterScore(letters []rune, text string) (score int, found bool) {
	chars := []rune(text)
	lower := []rune(strings.ToLower(text))
	if len(letters) == 0 || len(chars) != len(lower) {
		return 0, false
	}
	next, best, bestAt, before, run := 0, -1, -1, -1, 0 // before: the place of the last letter
	for i := range chars {
		if lower[i] == letters[next] {
			points, more := 0, 0
			switch {
			case i == 0:
				points = atBegin
			case strings.ContainsRune(`/-_ .\`, chars[i-1]):
				points = afterSeparator
			case unicode.IsLower(chars[i-1]) && unicode.IsUpper(chars[i]):
				points = atHump
			}
			if before >= 0 && before == i-1 {
				more = 2*run + adjacent
			}
			run += more
			if points += more; points > best {
				best, bestAt = points, i
			}
		}
		end := i+1 == len(chars)
		if bestAt < 0 || !end && (next+1 == len(letters) || lower[i+1] != letters[next+1]) {
			continue
		}
		if before < 0 {
			best -= leading * min(bestAt, maxLeading)
		}
		score, before, best, bestAt = score+best, bestAt, -1, -1
		if next++; next == len(letters) {
			break
		}
	}
	return score - len(chars) + next, next == len(letters)
}
