package toolscript

import (
	"bytes"
	"encoding/json"
	"errors"
)

// PageKey marks the calls of Tool.Pages. As a member of the arguments it asks for one page: ""
// is the first one, and PagePlace.Next of a page is the one after it. As a member of _meta in the
// result it has the PagePlace. No schema declares it.
const PageKey = "toolscript/page"

// StatusKey has the HTTP status of an API in _meta of a failed result.
const StatusKey = "toolscript/status"

// PagePlace is where a page stands among those of one result. Both texts are opaque. Equal pages
// have equal texts until the gateway ends.
type PagePlace struct {
	Self string `json:"self,omitempty"`
	Next string `json:"next,omitempty"` // "" after the last page
}

var quotedPageKey = []byte(`"` + PageKey + `"`)

// AsksForPage reports whether arguments may have the member PageKey.
func AsksForPage(args json.RawMessage) bool { return bytes.Contains(args, quotedPageKey) }

// CutPage returns arguments without the member PageKey, and its value. asked is false if there
// is no such member.
func CutPage(args json.RawMessage) (rest json.RawMessage, page string, asked bool, err error) {
	if !AsksForPage(args) { // nearly always; cut is a function of its own, because it allocates
		return args, "", false, nil
	}
	return cut(args)
}

func cut(args json.RawMessage) (rest json.RawMessage, page string, asked bool, err error) {
	var members map[string]json.RawMessage
	if invalid := json.Unmarshal(args, &members); invalid != nil || members[PageKey] == nil {
		return args, "", false, nil //nolint:nilerr // the schema of the tool refuses what is no object
	}
	if err := json.Unmarshal(members[PageKey], &page); err != nil {
		return nil, "", true, errors.New(PageKey + " is the place of a page, which is a text")
	}
	delete(members, PageKey)
	rest, err = PlainJSON(members)
	return rest, page, true, err
}

// AddPage returns arguments, which are an object, with the member PageKey. It undoes CutPage.
func AddPage(args json.RawMessage, page string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(args, &members); err != nil {
		return nil, err
	}
	quoted, err := PlainJSON(page)
	if err != nil {
		return nil, err
	}
	members[PageKey] = quoted
	return PlainJSON(members)
}
