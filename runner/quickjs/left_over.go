package quickjs

import (
	"time"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/runner"
)

// leftOver are the timers of a script that has ended: nothing waits for most of them, such as
// the one that would have rejected a race. They may not cost the value.
type leftOver struct {
	namespace handle
	ends      time.Time // of those that nothing waits for
}

// begin is called when the script has its value.
func (l *leftOver) begin(w *watch, namespace handle) {
	now := time.Now()
	l.namespace, l.ends = namespace, now.Add(runner.TimerGrace)
	if left, bounded := w.left(now); bounded {
		l.ends = now.Add(min(runner.TimerGrace, left/2))
	}
}

// busy gives the timers up when their time is over, unless code of the script waits for one.
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
