package mcp

import (
	"context"
	"strings"

	"github.com/toolscript/toolscript"
)

// defaultLimit is the default number of results.
const defaultLimit = 5

// maxDescription is the maximum length of one result's description, in characters.
const maxDescription = 160

type searchArgs struct {
	Query string
	Limit int
	notes []string
}

func readSearch(ctx context.Context, g *given) (args searchArgs, err error) {
	if !g.has("query") {
		g.missing("query", "say what the tool should do")
	}
	args.notes = g.notes
	return args, g.into(ctx, &args)
}

type searchResult struct {
	Results []found                    `json:"results"`
	Skills  []foundSkill               `json:"skills,omitempty"`
	More    int                        `json:"more,omitempty"`    // number of further matches; a higher limit returns them
	Hint    string                     `json:"hint,omitempty"`    // how to search again if the results are uncertain
	Missing []toolscript.MissingServer `json:"missing,omitempty"` // servers that could not be searched
	Notices []string                   `json:"notices,omitempty"` // notices about the arguments
}

type found struct {
	Name        string  `json:"name"` // as in a script, without "tools."
	Description string  `json:"description"`
	Confidence  float64 `json:"confidence"`       // from 0 to 1
	Unsure      bool    `json:"unsure,omitempty"` // it is not a good match
}

// foundSkill is a skill of a server. A client reads the URI as a resource.
type foundSkill struct {
	Name        string `json:"name"`
	Server      string `json:"server"`
	URI         string `json:"uri"`
	Description string `json:"description"`
}

func (searchResult) failed() bool { return false }

// search answers search_tools.
func (e *entrance) search(ctx context.Context, args searchArgs) (searchResult, error) {
	g, release, err := e.Gateway(ctx)
	if err != nil {
		return searchResult{}, err
	}
	defer release()
	limit := args.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	answer, err := g.Search(ctx, toolscript.SearchQuery{Text: args.Query, Limit: limit})
	if err != nil {
		return searchResult{}, err
	}
	r := searchResult{Results: []found{}, Hint: answer.Hint, Missing: answer.Missing, Notices: args.notes}
	r.More = max(0, answer.TotalResults-len(answer.Results))
	for _, hit := range answer.Results {
		r.Results = append(r.Results, found{strings.TrimPrefix(hit.Call, "tools."), shortened(hit.Description), round(hit.Confidence), hit.Unsure})
		if hit.Unsure && r.Hint == "" {
			r.Hint = "no tool matches the query well; these come nearest"
		}
	}
	for _, hit := range answer.Skills {
		if e.Pass {
			r.Skills = append(r.Skills, foundSkill{hit.Name, hit.ServerName, servedURI(skillScheme, hit.ServerName, hit.URI), shortened(hit.Description)})
		}
	}
	if len(r.Results) == 0 && r.Hint == "" {
		r.Hint = "no tool comes near this query; try other words"
	}
	return r, nil
}

// shortened returns the beginning of a description, on one line.
func shortened(description string) string {
	text := []rune(strings.Join(strings.Fields(description), " "))
	if len(text) <= maxDescription {
		return string(text)
	}
	return string(text[:maxDescription]) + "… (more: describe_tools)"
}

func round(confidence float64) float64 { return float64(int(confidence*100+0.5)) / 100 }
