package worker

import (
	"encoding/binary"
	"errors"

	"github.com/toolscript/toolscript/runner"
)

// Idle implements quickjs.Host.
func (g *guest) Idle(calls int) {
	if g.Job.Idle && len(g.answers) == 0 {
		_ = g.link.write(frameIdle, binary.BigEndian.AppendUint32(nil, uint32(calls))) // an error means that the gateway has ended
	}
}

func idlerOf(job runner.Job, h runner.Host) runner.Idler {
	idler, _ := h.(runner.Idler)
	if !job.Idle {
		return nil
	}
	return idler
}

// idle handles the payload of a frameIdle.
func (r *sandboxRun) idle(payload []byte) error {
	calls, _, err := splitNumber(payload)
	switch {
	case err != nil:
		return err
	case r.idler == nil:
		return errors.New("a sandbox reported that it is idle, and was not asked to")
	}
	r.idler.Idle(int(calls))
	return nil
}
