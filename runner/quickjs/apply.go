package quickjs

import "github.com/toolscript/toolscript"

// loaded waits for the script and returns its namespace. If the job has a parameter, it
// calls the function that the script exports as default: the result is a namespace whose
// default is the value of the function.
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
