package changes

import "github.com/toolscript/toolscript/cmd/clients"

// Result is the output of --json.
type Result struct {
	Files     []File             `json:"files"`
	Servers   []clients.Taken    `json:"servers"`
	LeftOut   []clients.Left     `json:"leftOut"`
	Variables []clients.Variable `json:"variables"`         // that have to be set
	Secrets   []clients.Secret   `json:"secrets,omitempty"` // that are stored, when it is written
	Notes     []string           `json:"notes"`
	Written   bool               `json:"written"`
	Backup    string             `json:"backup,omitempty"` // folder
}

// File is a file that changes.
type File struct {
	Path string `json:"path"`
	New  bool   `json:"new,omitempty"`
	Diff string `json:"diff,omitempty"` // without secrets
}

// NewResult is the result of a change that is not written.
func NewResult(plan *clients.Import) Result {
	r := Result{
		Files: []File{}, Servers: append([]clients.Taken{}, plan.Taken...), LeftOut: append([]clients.Left{}, plan.Left...),
		Variables: append([]clients.Variable{}, plan.Variables...), Secrets: plan.Secrets, Notes: append([]string{}, plan.Notes...),
	}
	for _, c := range plan.Changes {
		r.Files = append(r.Files, File{c.File.Path, c.New(), c.Diff()})
	}
	return r
}
