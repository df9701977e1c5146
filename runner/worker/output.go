package worker

import (
	"github.com/toolscript/toolscript/internal/texts"
	"github.com/toolscript/toolscript/runner"
)

// maxOutput is the maximal length of a text in one frame, in bytes.
const maxOutput = 1 << 20

// outputFrames maps the streams of a script to frames.
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

// Write implements quickjs.Host. It blocks the script while the gateway does not take output;
// the limits of the run still apply.
func (g *guest) Write(s runner.Stream, text string) {
	kind, known := outputFrames[s]
	if !known {
		return // a script controls this process: the prelude writes only to these streams
	}
	for len(text) > 0 {
		part := texts.Cut(text, maxOutput)
		_ = g.link.write(kind, []byte(part)) // an error means that the gateway has ended
		text = text[len(part):]
	}
	g.flush() // the engine may hang before it polls
}
