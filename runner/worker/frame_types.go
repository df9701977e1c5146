package worker

// A frameType is the type of a frame and determines its payload.
type frameType uint8

// The frames. A worker sends ready once, before all others.
const (
	frameReady      frameType = iota + 1 // worker: ready
	frameCompile                         // gateway → checker: runner.Source
	frameCompiled                        // checker → gateway: compiled
	frameNames                           // gateway → sandbox: naming.Names for the runs to come
	frameRun                             // gateway → sandbox: runner.Job without names
	frameCancel                          // gateway → sandbox: end the run
	frameCall                            // sandbox → gateway: see callFrame
	frameAnswer                          // gateway → sandbox: number of the call, value
	frameStdout                          // sandbox → gateway: text
	frameStderr                          // sandbox → gateway: text
	frameWantStdin                       // sandbox → gateway: nothing; asks for one piece
	frameStdin                           // gateway → sandbox: stdinHeader, bytes
	frameEnd                             // sandbox → gateway: runner.Outcome without its value, value
	frameCheck                           // gateway → checker: checkRequest
	frameModule                          // gateway → checker: moduleHeader, text
	frameChecked                         // checker → gateway: checked
	frameCancelCall                      // sandbox → gateway: number of the call to end
	frameClock                           // gateway → sandbox: clockHeader
	frameFailure                         // gateway → sandbox: number of the call, toolscript.ToolError
	frameProgress                        // sandbox → gateway: text
	frameIdle                            // sandbox → gateway: number of awaited calls, if Job.Idle is set
	frameSign                            // gateway → checker: checkRequest
	frameSigned                          // checker → gateway: signed
	frameContent                         // gateway → sandbox: as frameAnswer, with content; see session.Answer.Text
	frameConvert                         // gateway → converter: convertHeader, the last part of the input
	framePart                            // gateway ↔ converter: a part of the text of the previous other frame
	frameNeed                            // converter → gateway: needHeader
	frameGiven                           // gateway → converter: outcome, the last part of the text
	frameConverted                       // converter → gateway: outcome, the last part of the output
)
