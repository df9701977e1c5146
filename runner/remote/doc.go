// Package remote runs scripts in sandboxes of other machines. The gateway that owns a run
// keeps its capability and its allow list, and makes its calls. The other machine, a runner,
// gets the compiled script, runs it in a sandbox, and sends each tool call back to the
// gateway. Both are clients of one NATS cluster.
//
// A gateway sends a request to runs.take, which one runner of the queue group answers. That
// runner then reserves a sandbox for the run with the id S of gateway G. G consists of two
// tokens: the user of the gateway, so that permissions can name it, and a random token.
//
//	runs.G.S.down   frames of the gateway: the job, answers to calls, the end
//	runs.G.S.up     frames of the runner: calls, output, the outcome
//	runs.G.inbox.>  the answers to requests of the gateway
//
// The job is sent once, to that runner. If the runner is lost afterwards, the run fails,
// because it may have made calls. See stream for the order and the loss of frames.
package remote

import (
	"errors"
	"strings"
	"time"
)

const (
	takeSubject = "runs.take"         // subject of requests for a runner
	queue       = "runners"           // queue group of the runners
	serviceName = "toolscript_runner" // NATS microservice of a runner
	protocol    = 1                   // version of the frames; a runner refuses runs of another version
)

// Times that both sides use.
const (
	pingTime   = time.Second      // interval of the pings
	silentTime = 15 * time.Second // without any message, after which the other side counts as lost
	reserve    = 10 * time.Second // how long a reserved sandbox waits for its job
	endTime    = 5 * time.Second  // how long a runner waits until the gateway has read the outcome
)

// maxFrame is the maximal size in bytes of the job, or of the arguments or the answer of a call.
const maxFrame = 64 << 20

// take is a request for a runner.
type take struct {
	Protocol int    `json:"protocol"`
	Gateway  string `json:"gateway"` // G
	Run      string `json:"run"`     // S
}

// taken is the answer to a take.
type taken struct {
	Host  string `json:"host,omitempty"` // name of the runner's machine
	Busy  bool   `json:"busy,omitempty"` // all sandboxes of this runner are in use
	Error string `json:"error,omitempty"`
}

// downSubject returns the subject on which the runner of a run receives frames.
func downSubject(gateway, run string) string { return "runs." + gateway + "." + run + ".down" }

// upSubject returns the subject on which the gateway of a run receives frames.
func upSubject(gateway, run string) string { return "runs." + gateway + "." + run + ".up" }

// validID reports whether a text is a single token of a subject.
func validID(text string) bool {
	return text != "" && len(text) <= 128 && !strings.ContainsAny(text, ".*> \t\r\n\x00")
}

// validGateway reports whether a text is the id of a gateway: two tokens.
func validGateway(text string) bool {
	user, id, ok := strings.Cut(text, ".")
	return ok && validID(user) && validID(id)
}

var (
	// errSilent ends a stream whose other side has sent nothing for silentTime.
	errSilent = errors.New("it has sent nothing for some time")

	// errGone ends a stream whose other side no longer receives, or whose own connection is closed.
	errGone = errors.New("its connection has ended")

	// errGap ends a stream in which messages were lost.
	errGap = errors.New("messages were lost on the way")

	// errClosed ends a stream that one of the sides has closed.
	errClosed = errors.New("it has ended the run")
)

// GatewaySubjects returns the subjects that gateways of a user publish to and subscribe to.
func GatewaySubjects(user string) (publish, subscribe []string) {
	return []string{takeSubject, downSubject(user+".*", "*")}, []string{"runs." + user + ".>"}
}

// RunnerSubjects returns the subjects that a runner publishes to and subscribes to. It also
// needs permission to answer requests.
func RunnerSubjects() (publish, subscribe []string) {
	return []string{upSubject("*.*", "*")}, []string{takeSubject, downSubject("*.*", "*")}
}
