package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A history holds the results of each test in all its tries.
type history struct {
	tests   map[test]*outcome
	outputs map[test]string // outputs of running tests, if the output of failed tests is printed; otherwise nil
}

// A test is a test of a package, or the package itself if its name is empty.
type test struct {
	pkg, name string
}

type outcome struct {
	tries, failures int
	passed          bool    // whether the last try passed
	seconds         float64 // duration of the first try
}

// add reads events of go test -json, one per line, in chronological order.
func (h *history) add(events io.Reader) error {
	if h.tests == nil {
		h.tests = map[test]*outcome{}
	}
	in := json.NewDecoder(bufio.NewReader(events))
	for {
		var e struct {
			Action, Package, Test, Output string
			Elapsed                       float64
		}
		if err := in.Decode(&e); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("events of go test: %w", err)
		}
		t := test{strings.TrimPrefix(e.Package, module+"/"), e.Test}
		if e.Action == "output" && h.outputs != nil {
			h.outputs[t] += e.Output
		}
		if e.Action != "pass" && e.Action != "fail" {
			continue
		}
		if e.Action == "fail" {
			fmt.Print(h.outputs[t])
		}
		delete(h.outputs, t)
		o := h.tests[t]
		if o == nil {
			o = &outcome{seconds: e.Elapsed}
			h.tests[t] = o
		}
		o.tries++
		if o.passed = e.Action == "pass"; !o.passed {
			o.failures++
		}
	}
}

// failed returns the tests whose last try failed; flaky returns those that passed only when they
// ran again. Both omit a test if a subtest is in the result, and a package if one of its tests is.
func (h *history) failed() []test {
	return h.innermost(func(o *outcome) bool { return !o.passed })
}

func (h *history) flaky() []test {
	return h.innermost(func(o *outcome) bool { return o.passed && o.failures > 0 })
}

func (h *history) innermost(is func(*outcome) bool) []test {
	outer := map[test]bool{}
	var found []test
	for t, o := range h.tests {
		if !is(o) {
			continue
		}
		found = append(found, t)
		for t.name != "" {
			t.name = t.name[:max(0, strings.LastIndexByte(t.name, '/'))]
			outer[t] = true
		}
	}
	found = slices.DeleteFunc(found, func(t test) bool { return outer[t] })
	slices.SortFunc(found, func(a, b test) int { return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name)) })
	return found
}

// slowest returns a line for each of the slowest tests, without their subtests.
func (h *history) slowest() string {
	var slow []test
	for t := range h.tests {
		if t.name != "" && !strings.Contains(t.name, "/") {
			slow = append(slow, t)
		}
	}
	slices.SortFunc(slow, func(a, b test) int { return cmp.Compare(h.tests[b].seconds, h.tests[a].seconds) })
	var text strings.Builder
	text.WriteString("the slowest tests, in seconds:\n")
	for _, t := range slow[:min(shown, len(slow))] {
		fmt.Fprintf(&text, "%6.1f  %s\n", h.tests[t].seconds, t)
	}
	return text.String()
}

// summary returns a line for each flaky test, and one for each failed test.
func (h *history) summary() string {
	var text strings.Builder
	for _, t := range h.flaky() {
		fmt.Fprintln(&text, "flaky:", t)
	}
	for _, t := range h.failed() {
		fmt.Fprintf(&text, "FAIL\t%s\n", t)
	}
	return text.String()
}

func (t test) String() string { return strings.TrimSpace(t.pkg + " " + t.name) }
