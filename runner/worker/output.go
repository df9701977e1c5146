package worker

import (
	"unicode/utf8"

	"github.com/toolscript/toolscript/runner"
)

// maxOutput is the longest text that is sent to the gateway at once.
const maxOutput = 1 << 20

// outputFrames are the frames of the streams of a script.
var outputFrames = map[runner.Stream]frameType{
	runner.Stdout: frameStdout, runner.Stderr: frameStderr, runner.Progress: frameProgress,
}

// streamOf returns the stream of a frame, and whether the frame is output.
func streamOf(kind frameType) (runner.Stream, bool) {
	for stream, frame := range outputFrames {
		if frame == kind {
			return stream, true
		}
	}
	return 0, false
}

// Write implements quickjs.Host. It blocks while the gateway takes no output, which
// slows the script down; the limits of the run still hold.
func (j *job) Write(s runner.Stream, text string) {
	kind, known := outputFrames[s]
	if !known {
		return // attacked code in this process: the prelude writes to these streams only
	}
	for len(text) > 0 {
		cut := min(len(text), maxOutput)
		for cut < len(text) && !utf8.RuneStart(text[cut]) {
			cut--
		}
		_ = j.link.write(kind, []byte(text[:cut])) // an error is the end of the gateway, which ends the process
		text = text[cut:]
	}
	j.flush() // the engine may get stuck before it polls
}
