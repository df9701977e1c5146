package api

import "github.com/toolscript/toolscript"

// trace returns the traceparent header of the client, or "" if it is missing or invalid.
func (x *exchange) trace() string {
	traceparent := x.c.Get("traceparent")
	if toolscript.TraceID(traceparent) == "" {
		return ""
	}
	return traceparent
}
