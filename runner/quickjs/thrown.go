package quickjs

import (
	"errors"

	"github.com/toolscript/toolscript"
)

// thrown is an uncaught JavaScript value.
type thrown struct {
	reason handle
	phase  toolscript.Phase
}

func (*thrown) Error() string { return "the script threw" }

var (
	errExit         = errors.New("the script called exit")
	errNeverSettled = errors.New("the script's top-level await never settled")
)

// thrown returns err with the exception that has the position where the script stopped. If
// err is nil, it returns the error of a script that threw reason.
func (r *run) thrown(err error, reason handle, phase toolscript.Phase) error {
	if err == nil {
		return &thrown{reason, phase}
	}
	if r.instance.err != nil {
		return err
	}
	if r.instance.call(fnPromiseState, uint64(reason)) == promiseRejected { // a stopped module or async function
		reason = handle(r.instance.call(fnPromiseResult, uint64(reason)))
	}
	return &stopped{err, reason}
}

// stopped is the error of a limit that was reached while the script ran.
type stopped struct {
	error
	reason handle // the exception that ended the script
}

func (s *stopped) Unwrap() error { return s.error }
