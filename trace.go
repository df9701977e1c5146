package toolscript

import "encoding/hex"

// Tracer records spans. Its methods do not block.
type Tracer interface {
	// Start begins a span below parent, a traceparent of W3C Trace Context. It begins a
	// new trace if parent is "" or invalid.
	Start(parent string, o SpanOptions) Span
}

// SpanOptions describe a span. Where OpenTelemetry's conventions for MCP name an
// attribute, that name is used.
type SpanOptions struct {
	Name       string
	Client     bool // the span is a request to another process
	Attributes []Attribute
}

// Attribute is an attribute of a span. One with an empty value is left out.
type Attribute struct{ Name, Value string }

// Span is a timed operation of a trace. Set and End may be called from any goroutine,
// and have no effect after the first call of End.
type Span interface {
	// Traceparent returns the traceparent of the span, for requests to others.
	Traceparent() string
	// Set sets an attribute.
	Set(name, value string)
	// End ends the span. failure is the value of error.type; "" after a success.
	End(failure string)
}

// TraceID returns the trace id of a traceparent, 32 hexadecimal digits; "" if traceparent is invalid.
func TraceID(traceparent string) string {
	const version, id, span, flags = len("00"), 32, 16, 2
	if len(traceparent) != version+id+span+flags+3 || traceparent[version] != '-' || traceparent[version+1+id] != '-' || traceparent[version+id+span+2] != '-' {
		return ""
	}
	trace := traceparent[version+1 : version+1+id]
	for i := range len(trace) {
		if c := trace[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return ""
		}
	}
	if b, err := hex.DecodeString(trace); err != nil || allZero(b) {
		return ""
	}
	return trace
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
