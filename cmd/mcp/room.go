package mcp

import (
	"errors"

	"golang.org/x/sync/semaphore"

	"github.com/toolscript/toolscript/internal/budget"
)

const (
	// maxMessage is the longest message of a client, in bytes. The longest script has 1 MB,
	// and at most six times as much in JSON.
	maxMessage = 8 << 20

	// maxCost is the maximum memory for one message, and allCosts for all messages that are
	// being answered.
	maxCost  = 64 << 20
	allCosts = 128 << 20

	// The estimated memory for answering a message, in bytes: mcp-go decodes it several
	// times, into Go values.
	perRequest = 16 << 10
	perByte    = 6
	perValue   = 100
)

var (
	errMessageTooLarge = errors.New("the message has more than 8 MB, or too many values")
	errMessagesBusy    = errors.New("the requests in progress use all the memory for requests; try again when one of them has its answer")
)

// room limits the memory for messages that are being answered.
type room struct {
	*semaphore.Weighted

	returner *budget.Returner
}

func newRoom() room { return room{semaphore.NewWeighted(allCosts), &budget.Returner{}} }

// Release returns the memory of a message.
func (r room) Release(cost int64) {
	r.Weighted.Release(cost)
	r.returner.Released(cost)
}

// costOf returns the estimated memory for a message.
func costOf(message []byte) int64 {
	values, inside := 0, false
	for i := 0; i < len(message); i++ {
		switch b := message[i]; {
		case b == '"':
			inside = !inside
		case inside && b == '\\':
			i++
		case !inside && (b == ',' || b == '[' || b == '{'):
			values++
		}
	}
	return int64(perRequest + perByte*len(message) + perValue*values)
}
