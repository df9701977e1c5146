package execution

import "github.com/toolscript/toolscript"

// maxNotices bounds the notices of a run.
const maxNotices = 16

// notify gives the end the notices of the sandbox, which may be attacked code.
func (w *work) notify(end *toolscript.End, notices []string) {
	for _, text := range notices[:min(len(notices), maxNotices)] {
		text = cut(text)
		end.Notices = append(end.Notices, text)
		w.warn(text)
	}
}
