package gateway

import "github.com/toolscript/toolscript"

// trace is the traceparent of the client, "" without a valid one.
func (x *exchange) trace() string {
	traceparent := x.c.Get("traceparent")
	if toolscript.TraceID(traceparent) == "" {
		return ""
	}
	return traceparent
}
