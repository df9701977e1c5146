// Package remote runs scripts in sandboxes of other machines. The gateway that owns a run
// keeps its capability, its allow list and its calls. The other machine, a runner, has the
// compiled script and a sandbox, and sends each tool call back to the gateway. Both are
// clients of one NATS cluster.
//
// A gateway asks for a runner at runs.take, which one runner of the queue group answers.
// That runner then keeps a sandbox for the run with the id S of gateway G, which consists of
// two tokens: the user of the gateway, so that permissions can name it, and a random one.
//
//	runs.G.S.down   frames of the gateway: the job, answers to calls, the end
//	runs.G.S.up     frames of the runner: calls, output, the outcome
//	runs.G.inbox.>  the answers to requests of the gateway
//
// The job is sent to that one runner, once. If the runner is lost afterwards, the run fails:
// it may have made calls. See stream for the order and the loss of frames.
package remote

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"
	"time"
)

const (
	// TakeSubject is where gateways ask for a runner.
	TakeSubject = "runs.take"

	// Queue is the queue group of the runners.
	Queue = "runners"

	// ServiceName is the name of the NATS micro service of a runner.
	ServiceName = "toolscript_runner"

	// protocol is the version of the frames. A runner refuses runs of another.
	protocol = 1
)

// Times of both sides.
const (
	pingTime   = time.Second      // between two signs of life
	silentTime = 15 * time.Second // without any frame of the other side, after which it is lost
	reserve    = 10 * time.Second // a sandbox waits so long for its job
	endTime    = 5 * time.Second  // a runner waits so long for the gateway to take the outcome
)

// maxFrame is the maximum size of a frame in bytes: of the arguments or the answer of a call.
const maxFrame = 64 << 20

// take asks for a runner.
type take struct {
	Protocol int    `json:"protocol"`
	Gateway  string `json:"gateway"` // G
	Run      string `json:"run"`     // S
}

// taken answers a take.
type taken struct {
	Host  string `json:"host,omitempty"` // of the runner
	Busy  bool   `json:"busy,omitempty"` // all sandboxes of this runner are in use
	Error string `json:"error,omitempty"`
}

// downSubject is where the runner of a run receives frames.
func downSubject(gateway, run string) string { return "runs." + gateway + "." + run + ".down" }

// upSubject is where the gateway of a run receives frames.
func upSubject(gateway, run string) string { return "runs." + gateway + "." + run + ".up" }

// newID returns a random token for a subject.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}

// validID reports whether a text is one token of a subject.
func validID(text string) bool {
	return text != "" && len(text) <= 128 && !strings.ContainsAny(text, ".*> \t\r\n\x00")
}

// validGateway reports whether a text is the id of a gateway: two tokens.
func validGateway(text string) bool {
	user, id, ok := strings.Cut(text, ".")
	return ok && validID(user) && validID(id)
}

var (
	// errSilent is the end of a stream whose other side sends nothing any more.
	errSilent = errors.New("it has sent nothing for some time")

	// errGone is the end of a stream whose other side does not receive any more.
	errGone = errors.New("its connection has ended")

	// errGap is the end of a stream of which messages were lost.
	errGap = errors.New("messages were lost on the way")

	// errClosed is the end of a stream that the other side has closed.
	errClosed = errors.New("it has ended the run")
)

// GatewaySubjects are the subjects that a gateway of a user publishes to and subscribes to.
func GatewaySubjects(user string) (publish, subscribe []string) {
	return []string{TakeSubject, downSubject(user+".*", "*")}, []string{"runs." + user + ".>"}
}

// RunnerSubjects are the subjects that a runner publishes to and subscribes to. It also answers
// requests.
func RunnerSubjects() (publish, subscribe []string) {
	return []string{upSubject("*.*", "*")}, []string{TakeSubject, downSubject("*.*", "*")}
}
