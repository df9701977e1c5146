package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// ListDir is the tool listDir.
var ListDir = tool.Tool{
	Name:  "listDir",
	Title: "List a folder",
	Description: "List a folder and the folders below it as a tree: one entry a line, two blanks for each level. " +
		"Folders end with /, symbolic links with @, and other entries that are no files with ?.",
	Input: `{"type": "object", "required": ["dirPath"], "additionalProperties": false, "properties": {
		"dirPath": {"type": "string", "description": "the folder, relative to the root of the server"},
		"offset": {"type": "integer", "minimum": 1, "default": 1, "description": "number of the first entry, from 1"},
		"limit": {"type": "integer", "minimum": 1, "default": 25, "description": "how many entries to list"},
		"depth": {"type": "integer", "minimum": 1, "default": 2, "description": "levels of folders to list; 1: only dirPath itself"}}}`,
	Output:      tool.ContentSchema("the entries; the last line says if there are more"),
	Annotations: tool.Reads(),
	Run:         tool.Func(listDir),
}

type listDirArgs struct {
	DirPath string `json:"dirPath"`
	Offset  int    `json:"offset"`
	Limit   int    `json:"limit"`
	Depth   int    `json:"depth"`
}

func listDir(ctx context.Context, w *tool.Workspace, args listDirArgs) (tool.Content, error) {
	dir, err := w.Path(args.DirPath, "")
	if err != nil {
		return tool.Content{}, err
	}
	l := lister{ctx: ctx, w: w, offset: max(args.Offset, 1), limit: args.Limit, depth: args.Depth}
	if l.limit == 0 {
		l.limit = 25
	}
	if l.depth == 0 {
		l.depth = 2
	}
	if err := l.list(dir, 0); err != nil {
		return tool.Content{}, err
	}
	if l.offset > 1 && l.seen < l.offset {
		return tool.Content{}, fmt.Errorf("the offset is %d, and there are %d entries", l.offset, l.seen)
	}
	if l.full() {
		l.lines = append(l.lines, fmt.Sprintf("More than %d entries found", l.limit))
	}
	return tool.Content{Content: strings.Join(l.lines, "\n"), Success: true}, nil
}

// lister collects the lines of a tree. It stops at the first entry behind the requested
// range.
type lister struct {
	ctx                  context.Context //nolint:containedctx // of one call
	w                    *tool.Workspace
	offset, limit, depth int
	seen                 int // entries so far
	lines                []string
}

// full reports whether there is an entry behind the requested range.
func (l *lister) full() bool { return l.seen-l.offset >= l.limit }

// list adds the entries of a folder. A subfolder that cannot be read counts as empty.
func (l *lister) list(dir string, below int) error {
	if err := l.ctx.Err(); err != nil {
		return err
	}
	entries, err := l.w.ReadDir(dir)
	if err != nil && below == 0 {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		if l.seen++; l.full() {
			return nil
		}
		if l.seen >= l.offset {
			l.lines = append(l.lines, strings.Repeat("  ", below)+oneLine(entry.Name())+marker(entry.Type()))
		}
		if entry.IsDir() && below+1 < l.depth {
			if err := l.list(filepath.Join(dir, entry.Name()), below+1); err != nil {
				return err
			}
			if l.full() {
				return nil
			}
		}
	}
	return nil
}

// marker returns the suffix that shows the kind of an entry.
func marker(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "/"
	case mode&fs.ModeSymlink != 0:
		return "@"
	case !mode.IsRegular():
		return "?"
	default:
		return ""
	}
}

// oneLine replaces line breaks in a name, so that the name does not look like two entries.
func oneLine(name string) string {
	return strings.NewReplacer("\n", "�", "\r", "�").Replace(name)
}
