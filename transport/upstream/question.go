package upstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/transport/oauth"
)

// The modes of an elicitation.
const (
	formMode = "form"
	pageMode = "url"
)

// longestURL bounds the address of a page in bytes.
const longestURL = 8 << 10

// longestPage bounds the elicitationId of a page in bytes.
const longestPage = 1 << 10

// ParseQuestion returns the question in the parameters of an elicitation, without its server. The
// error is Unsupported if the question cannot be put to a person.
func ParseQuestion(params json.RawMessage) (toolscript.Question, error) {
	var p struct {
		Mode            string          `json:"mode"`
		Message         string          `json:"message"`
		RequestedSchema json.RawMessage `json:"requestedSchema"`
		URL             string          `json:"url"`
		ID              string          `json:"elicitationId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return toolscript.Question{}, refused(errors.New("the question cannot be read"))
	}
	switch p.Mode {
	case "", formMode:
		if _, err := toolscript.NewFlatForm(p.RequestedSchema); err != nil {
			return toolscript.Question{}, refused(err)
		}
		return toolscript.Question{Message: p.Message, Schema: p.RequestedSchema}, nil
	case pageMode:
		if err := oauth.CheckURL(p.URL); err != nil {
			return toolscript.Question{}, refused(fmt.Errorf("the address of the page may not be opened: %w", err))
		}
		if len(p.URL) > longestURL {
			return toolscript.Question{}, refused(fmt.Errorf("the address of the page has more than %d bytes", longestURL))
		}
		if len(p.ID) > longestPage {
			return toolscript.Question{}, refused(fmt.Errorf("the elicitationId of the page has more than %d bytes", longestPage))
		}
		return toolscript.Question{Message: p.Message, URL: p.URL, Page: p.ID}, nil
	default:
		return toolscript.Question{}, refused(fmt.Errorf("questions of the mode %.50q are not known", p.Mode))
	}
}

func refused(why error) error {
	return &toolscript.Error{Kind: toolscript.Unsupported, Err: why}
}

// PagesError is the reason of a call that the server carries out after a person has finished pages.
type PagesError struct {
	Message string
	Pages   []toolscript.Question
}

// Error names the pages, for a call without a person.
func (e *PagesError) Error() string {
	parts := []string{e.Message}
	for _, page := range e.Pages {
		parts = append(parts, page.Link())
	}
	return strings.Join(append(parts, "then make the call again"), "; ")
}

// mostPages is the maximum number of pages of one PagesError.
const mostPages = 8

// NewPagesError returns the PagesError for the data of a JSON-RPC error. It returns nil if these have no pages.
func NewPagesError(message string, data any) *PagesError {
	text, _ := json.Marshal(data) // it was decoded from JSON
	var listed struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	_ = json.Unmarshal(text, &listed) // data of another form list no pages
	if len(listed.Elicitations) > mostPages {
		return nil
	}
	e := &PagesError{Message: strings.TrimRight(message, ". ")}
	for _, params := range listed.Elicitations {
		if q, err := ParseQuestion(params); err == nil && q.URL != "" && q.Page != "" {
			e.Pages = append(e.Pages, q)
		}
	}
	if complete := len(e.Pages) == len(listed.Elicitations); complete && len(e.Pages) > 0 {
		return e
	}
	return nil
}
