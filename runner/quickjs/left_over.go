package quickjs

import (
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// leftOver handles the timers that are left when a script has its value. Usually no code awaits them any more,
// for example the timeout in a Promise.race. They must not make the run exceed its time limit, because the run
// would lose its value.
type leftOver struct {
	namespace handle
	ends      time.Time // time at which timers that no code awaits are dropped
}

// begin sets namespace and ends. It is called when the script has its value.
func (l *leftOver) begin(w *watch, namespace handle) {
	now := time.Now()
	l.namespace, l.ends = namespace, now.Add(runner.TimerGrace)
	if left, bounded := w.left(now); bounded {
		l.ends = now.Add(min(runner.TimerGrace, left/2))
	}
}

// busy drops the timers when their time is over, unless code of the script awaits one.
func (l *leftOver) busy(r *run) (deadline time.Time, busy bool, err error) {
	now := time.Now()
	if now.Before(l.ends) {
		return l.ends, true, nil
	}
	left, bounded := r.watch.left(now)
	bounded = bounded && !r.watch.clock.Stopped()
	last := bounded && left <= runner.TimerReserve(r.watch.limit)
	flag := 0
	if last {
		flag = 1
	}
	notice, bad := r.instance.invoke(r.instance.entries.giveUp, r.instance.duplicate(l.namespace), r.integer(flag))
	if err := r.check(); err != nil || bad {
		return never, false, r.thrown(err, notice, toolscript.Executing)
	}
	defer r.instance.free(notice)
	switch {
	case r.instance.call(fnIsString, uint64(notice)) != 0:
		if text := r.instance.text(notice); text != "" {
			r.notices = append(r.notices, text)
		}
		return never, false, nil
	case !bounded || last:
		return never, true, nil
	}
	return now.Add(left - runner.TimerReserve(r.watch.limit)), true, nil
}
