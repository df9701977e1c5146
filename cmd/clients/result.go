package clients

// Result is the output of --json.
type Result struct {
	Files     []ChangedFile `json:"files"`
	Servers   []Taken       `json:"servers"`
	LeftOut   []Left        `json:"leftOut"`
	Variables []Variable    `json:"variables"`         // variables to set
	Secrets   []Secret      `json:"secrets,omitempty"` // secrets that are stored when the change is written
	Notes     []string      `json:"notes"`
	Written   bool          `json:"written"`
	Backup    string        `json:"backup,omitempty"` // folder of the backup
}

// ChangedFile is one changed file.
type ChangedFile struct {
	Path string `json:"path"`
	New  bool   `json:"new,omitempty"`
	Diff string `json:"diff,omitempty"` // diff without secrets
}

// NewResult returns the result of a plan, not marked as written.
func NewResult(plan *Import) Result {
	r := Result{
		Files: []ChangedFile{}, Servers: append([]Taken{}, plan.Taken...), LeftOut: append([]Left{}, plan.Left...),
		Variables: append([]Variable{}, plan.Variables...), Secrets: plan.Secrets, Notes: append([]string{}, plan.Notes...),
	}
	for _, c := range plan.Changes {
		r.Files = append(r.Files, ChangedFile{c.File.Path, c.New(), c.Diff()})
	}
	return r
}
