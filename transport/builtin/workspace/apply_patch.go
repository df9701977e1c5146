package workspace

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript/transport/builtin/tool"
)

// ApplyPatch is the tool applyPatch.
var ApplyPatch = tool.Tool{
	Name:  "applyPatch",
	Title: "Apply a patch",
	Description: "Apply a patch to files: add, delete, update and move them, all or none. The patch is a unified diff, or has the form " +
		"*** Begin Patch, *** Add File: PATH, *** Delete File: PATH, *** Update File: PATH, *** Move to: PATH, @@, *** End Patch. " +
		"Old lines must be in the file exactly, but may have moved. Line ends of Windows are kept.",
	Input: `{"type": "object", "required": ["patch"], "additionalProperties": false, "properties": {
		"patch": {"type": "string", "description": "the patch, or the patch in a here-document: apply_patch <<'EOF'"},
		"cwd": {"type": "string", "description": "the folder that its paths are relative to; default: the root of the server"}}}`,
	Output: `{"type": "object", "required": ["success", "stdout", "stderr"], "additionalProperties": false, "properties": {
		"success": {"type": "boolean", "description": "false: no file was changed, and stderr says why"},
		"stdout": {"type": "string", "description": "the changed files, each with A (added), M (modified) or D (deleted)"},
		"stderr": {"type": "string"}}}`,
	Annotations:      tool.Changes(),
	RequiresApproval: true,
	Run:              tool.Func(applyPatch),
}

type applyPatchArgs struct {
	Patch string `json:"patch"`
	Cwd   string `json:"cwd"`
}

type applyPatchResult struct {
	Success bool   `json:"success"`
	Stdout  string `json:"stdout"`
	Stderr  string `json:"stderr"`
}

func applyPatch(ctx context.Context, w *tool.Workspace, args applyPatchArgs) (applyPatchResult, error) {
	set, failed := prepare(ctx, w, args)
	if failed == nil {
		failed = set.Commit(ctx)
	}
	switch {
	case failed == nil:
		lines := append([]string{"Success. Updated the following files:"}, set.Summary()...)
		return applyPatchResult{Success: true, Stdout: joined(lines) + "\n"}, nil
	case ctx.Err() != nil:
		return applyPatchResult{}, failed
	default:
		return applyPatchResult{Stderr: failed.Error() + "\nNo file was changed.\n"}, nil
	}
}

// prepare applies a patch in memory.
func prepare(ctx context.Context, w *tool.Workspace, args applyPatchArgs) (*Set, error) {
	parsed, err := Worker{Port: w.Convert}.Parse(ctx, args.Patch)
	if err != nil {
		return nil, err
	}
	if len(parsed.Changes) > maxChanges {
		return nil, fmt.Errorf("the patch changes %d files; the limit is %d", len(parsed.Changes), maxChanges)
	}
	p := patcher{ctx: ctx, w: w, set: New(w), dir: args.Cwd}
	if parsed.Dir != "" {
		if p.dir, err = w.Path(parsed.Dir, args.Cwd); err != nil {
			return nil, err
		}
	}
	for _, change := range parsed.Changes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := p.apply(change); err != nil {
			return nil, fmt.Errorf("%s: %w", tool.Quote(change.Path), err)
		}
	}
	return p.set, nil
}

// maxChanges is the maximum of files in one patch: each file is compared with all files before it.
const maxChanges = 10_000

type patcher struct {
	ctx context.Context //nolint:containedctx // of one call
	w   *tool.Workspace
	set *Set
	dir string
}

func (p patcher) worker() Worker { return Worker{Port: p.w.Convert} }

func (p patcher) apply(c Change) error {
	path, err := p.w.Path(c.Path, p.dir)
	if err != nil {
		return err
	}
	switch c.Op {
	case Add:
		return p.add(path, c)
	case Delete:
		text, err := p.set.Read(path)
		if err != nil {
			return err
		}
		if err := p.worker().CheckDeleted(p.ctx, text, c.Hunks); err != nil {
			return err
		}
		return p.set.Remove(path)
	default:
		return p.update(path, c)
	}
}

func (p patcher) add(path string, c Change) error {
	exists, err := p.set.Exists(path)
	if err != nil {
		return err
	}
	if exists {
		return fmt.Errorf("%s exists already", tool.Quote(path))
	}
	if err := p.set.Write(path, c.Content); err != nil {
		return err
	}
	return p.set.SetMode(path, c.Mode)
}

// update changes a file, and moves it if the patch says so.
func (p patcher) update(path string, c Change) error {
	text, err := p.set.Read(path)
	if err != nil {
		return err
	}
	if text, err = p.worker().Apply(p.ctx, text, c.Hunks); err != nil {
		return err
	}
	if c.NewPath != "" {
		target, err := p.w.Path(c.NewPath, p.dir)
		if err != nil {
			return err
		}
		if target != path {
			if err := p.set.Move(path, target); err != nil {
				return err
			}
			path = target
		}
	}
	if err := p.set.Write(path, text); err != nil {
		return err
	}
	if c.Mode == 0 {
		return nil
	}
	return p.set.SetMode(path, c.Mode)
}

func joined(lines []string) string { return strings.Join(lines, "\n") }
