package cluster

import (
	"encoding/json"
	"errors"
	"time"
)

// record is the value of a lease in the store.
type record struct {
	Owner    string        `json:"owner"`
	Session  string        `json:"session"`            // random id of one Hold
	Token    uint64        `json:"token,omitempty"`    // 0: the revision of this write
	TTL      time.Duration `json:"ttl"`                // time to live that the owner counts on, in nanoseconds
	Released bool          `json:"released,omitempty"` // the owner does not need the lease any more
}

// maxTTL bounds the time that a candidate waits for a record of another hub.
const maxTTL = time.Hour

// notice is a record with its revision.
type notice struct {
	record   record
	revision uint64 // 0: there is no record
	deleted  bool   // somebody has deleted the record; its owner may still work
}

// token returns the token of the term of the record.
func (n notice) token() uint64 {
	if n.record.Token != 0 {
		return n.record.Token
	}
	return n.revision
}

func (r record) encode() []byte {
	text, _ := json.Marshal(r) // such a struct always has a JSON form
	return text
}

func decode(value []byte, revision uint64) (notice, error) {
	n := notice{revision: revision}
	if err := json.Unmarshal(value, &n.record); err != nil {
		return notice{}, err
	}
	if r := n.record; r.Session == "" || r.TTL < minTTL || r.TTL > maxTTL || r.Token > revision {
		return notice{}, errors.New("the record of a lease is not valid")
	}
	return n, nil
}
