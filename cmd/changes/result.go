package changes

import "github.com/toolscript/toolscript/cmd/clients"

// Result is the output of --json.
type Result struct {
	Files     []File             `json:"files"`
	Servers   []clients.Taken    `json:"servers"`
	LeftOut   []clients.Left     `json:"leftOut"`
	Variables []clients.Variable `json:"variables"`         // variables to set
	Secrets   []clients.Secret   `json:"secrets,omitempty"` // secrets that are stored when the change is written
	Notes     []string           `json:"notes"`
	Written   bool               `json:"written"`
	Backup    string             `json:"backup,omitempty"` // folder of the backup
}

// File is one changed file.
type File struct {
	Path string `json:"path"`
	New  bool   `json:"new,omitempty"`
	Diff string `json:"diff,omitempty"` // diff without secrets
}

// NewResult returns the result of a plan, not marked as written.
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
