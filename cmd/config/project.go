package config

import (
	"path/filepath"

	"github.com/toolscript/toolscript/internal/files"
	"github.com/toolscript/toolscript/transport/upstream"
)

// project returns the folder beneath which a project's server resolves its paths. A link in it may
// lead out to a path that the server's definition names, because the user has seen that path.
func (o Options) project(n *node, file File, c upstream.Config) files.Folder {
	if !file.Project {
		return files.Folder{}
	}
	folder := files.Folder{Dir: filepath.Dir(file.Path)}
	o.WorkDir = folder.Dir
	uses := kindOf(n).Has("cwd") && folder.Has(c.Dir) || folder.Has(c.Root)
	for _, path := range kindOf(n).Paths {
		n.each(path, func(_ []string, n *node) {
			switch path, err := o.absolute(n.text()); {
			case err != nil || n.text() == "" || isAddress(n.text()):
			case folder.Has(path):
				uses = true
			default:
				folder.Named = append(folder.Named, path)
			}
		})
	}
	if !uses {
		return files.Folder{}
	}
	return folder
}
