package quickjs

import (
	"encoding/json"

	"github.com/toolscript/toolscript"
)

// given returns the arguments for the function that the script exports as default.
func (r *run) given() []json.RawMessage {
	if r.job.Parameter == nil {
		return []json.RawMessage{}
	}
	return []json.RawMessage{r.job.Parameter}
}

// loaded waits for the script and returns its namespace. If the job has a parameter or Calls
// is set, it calls the function that the script exports as default, and returns a namespace
// whose default is the result.
func (r *run) loaded(loading handle) (handle, error) {
	namespace, err := r.await(loading, toolscript.Executing)
	if err != nil || r.job.Parameter == nil && !r.job.Compiled.Calls {
		return namespace, err
	}
	calling, bad := r.instance.invoke(r.instance.entries.apply, namespace)
	if err := r.check(); err != nil || bad {
		return 0, r.thrown(err, calling, toolscript.Executing)
	}
	return r.await(calling, toolscript.Executing)
}
