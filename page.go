package toolscript

import (
	"bytes"
	"encoding/json"
	"errors"
)

// PageKey marks the calls of Tool.Pages. As a member of the arguments, it selects a
// page: "" is the first page, and PagePlace.Next leads from one page to the next. As a
// member of _meta in the result, it holds the PagePlace. No schema declares it.
const PageKey = "toolscript/page"

// StatusKey is the member of _meta in a failed result that holds the HTTP status of an API.
const StatusKey = "toolscript/status"

// PagePlace is the position of a page in a result with several pages. Both strings are
// opaque. Equal pages have equal strings until the gateway ends.
type PagePlace struct {
	Self string `json:"self,omitempty"`
	Next string `json:"next,omitempty"` // "" after the last page
}

var quotedPageKey = []byte(`"` + PageKey + `"`)

// AsksForPage reports whether arguments may have the member PageKey. It does not parse them.
func AsksForPage(args json.RawMessage) bool { return bytes.Contains(args, quotedPageKey) }

// CutPage returns the arguments without the member PageKey, and the value of that
// member. asked is false if there is no such member.
func CutPage(args json.RawMessage) (rest json.RawMessage, page string, asked bool, err error) {
	if !AsksForPage(args) { // the common case; cut is a separate function because it allocates
		return args, "", false, nil
	}
	return cut(args)
}

func cut(args json.RawMessage) (rest json.RawMessage, page string, asked bool, err error) {
	var members map[string]json.RawMessage
	if invalid := json.Unmarshal(args, &members); invalid != nil || members[PageKey] == nil {
		return args, "", false, nil //nolint:nilerr // if args is not an object, it does not fit the schema of the tool
	}
	if err := json.Unmarshal(members[PageKey], &page); err != nil {
		return nil, "", true, errors.New(PageKey + " must be a string")
	}
	delete(members, PageKey)
	rest, err = PlainJSON(members)
	return rest, page, true, err
}

// AddPage returns the arguments, a JSON object, with the member PageKey. It is the inverse of CutPage.
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
