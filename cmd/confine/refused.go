package confine

import "github.com/toolscript/toolscript/runner/observed"

// Refused returns what a confined server tried and could not do, as far as it was observed:
// the kernel refuses sockets and some other calls before they are reported.
func Refused(r *observed.Record, home string) []Problem {
	w := newWork(Scene{Home: home}, r.Bases())
	for _, f := range r.Files() {
		switch {
		case w.given(f):
		case f.Path == tty:
			w.problem(usesTerminal(f))
		default:
			w.problem(Problem{What: verb(f) + " " + w.shown(f.Path), Count: f.Count(), Why: "the profile does not have it", Minor: !f.Writes() && f.Folder && w.tooMuch(f.Path, false)})
		}
	}
	for _, a := range r.Acts() {
		if a.Kind != observed.Proxied { // a proxied connection was allowed
			w.acts([]observed.Acted{a})
		}
	}
	sortProblems(w.out.Problems)
	return w.out.Problems
}
