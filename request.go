package toolscript

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The values of ExecRequest.Check.
const (
	CheckOff   = "off"   // types are not checked
	CheckWarn  = "warn"  // type errors are warnings
	CheckError = "error" // a script with type errors does not run
)

// Checks returns the values of ExecRequest.Check.
func Checks() []string { return []string{CheckOff, CheckWarn, CheckError} }

// Validate checks a request. Its error is an *Error: Unsupported for an unknown engine,
// otherwise Invalid. The Details of Invalid point into the JSON of the request.
func (r ExecRequest) Validate() error {
	if r.Engine != "" && !slices.Contains(Engines(), r.Engine) {
		return &Error{Kind: Unsupported, Err: fmt.Errorf(
			"unknown engine %.50q; the engines are: %s", r.Engine, strings.Join(Engines(), ", "))}
	}
	var wrong []Detail
	if r.Check != "" && !slices.Contains(Checks(), r.Check) {
		wrong = append(wrong, Detail{"/check", fmt.Sprintf("must be one of %s, not %.50q", strings.Join(Checks(), ", "), r.Check)})
	}
	if r.Dialect != "" && r.Dialect != DialectHarness {
		wrong = append(wrong, Detail{"/dialect", fmt.Sprintf("must be %s, or absent, not %.50q", DialectHarness, r.Dialect)})
	}
	if r.Dialect == DialectHarness && r.Engine != "" && r.Engine != EngineQuickJS {
		wrong = append(wrong, Detail{"/engine", "must be " + EngineQuickJS + " for scripts of the dialect " + DialectHarness})
	}
	wrong = append(wrong, r.wrongNeeds()...)
	wrong = append(wrong, r.wrongModules()...)
	if r.Signature && !r.CheckOnly {
		wrong = append(wrong, Detail{"/signature", "is for a request with checkOnly"})
	}
	if len(r.Parameter) > 0 && !json.Valid(r.Parameter) {
		wrong = append(wrong, Detail{"/parameter", "must be JSON"})
	}
	if strings.ContainsAny(r.File, "\r\n\x00") {
		wrong = append(wrong, Detail{"/file", "must be a file name, on one line"})
	}
	if !goodRunName(r.Name) {
		wrong = append(wrong, Detail{"/name", fmt.Sprintf("must be a text of 1 to %d bytes on one line, not %.60q", maxRunName, r.Name)})
	}
	wrong = append(wrong, r.Limits.negatives()...)
	if len(wrong) == 0 {
		return nil
	}
	var parts []string
	for _, d := range wrong {
		parts = append(parts, strings.TrimPrefix(d.Path, "/")+" "+d.Message)
	}
	return &Error{Kind: Invalid, Err: errors.New(strings.Join(parts, "; ")), Details: wrong}
}

// Bounds of ExecRequest.Needs, because each entry is compared with each tool.
const (
	mostNeeds = 100
	longNeed  = 300 // maximum length of an entry in bytes
)

func (r ExecRequest) wrongNeeds() []Detail {
	if len(r.Needs) > mostNeeds {
		return []Detail{{"/needs", fmt.Sprintf("must have at most %d entries", mostNeeds)}}
	}
	for i, need := range r.Needs {
		if need == "" || len(need) > longNeed {
			return []Detail{{fmt.Sprintf("/needs/%d", i), fmt.Sprintf("must be the name of a tool, of 1 to %d bytes", longNeed)}}
		}
	}
	return nil
}

// negatives returns a Detail for each limit below zero. It uses the JSON form of l, so that it
// also finds limits that are added later.
func (l Limits) negatives() []Detail {
	text, _ := json.Marshal(l) // a struct of numbers always encodes
	var limits map[string]int64
	_ = json.Unmarshal(text, &limits)
	var wrong []Detail
	for name, value := range limits {
		if value < 0 {
			wrong = append(wrong, Detail{Path: "/limits/" + name, Message: "must not be negative"})
		}
	}
	slices.SortFunc(wrong, func(a, b Detail) int { return strings.Compare(a.Path, b.Path) })
	return wrong
}

// maxRunName is the maximum length of ExecRequest.Name in bytes. A store key also has a prefix.
const maxRunName = 200

func goodRunName(name string) bool {
	return name == "" || len(name) <= maxRunName && utf8.ValidString(name) && strings.TrimSpace(name) != "" && !strings.ContainsFunc(name, unicode.IsControl)
}
