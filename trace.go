package toolscript

import "encoding/hex"

// Tracer records spans. Its methods do not block.
type Tracer interface {
	// Start begins a span below parent, which is a traceparent of W3C Trace Context; ""
	// and what is none begin a new trace.
	Start(parent string, o SpanOptions) Span
}

// SpanOptions describe a span. The names of attributes are those of the MCP conventions
// of OpenTelemetry where they exist.
type SpanOptions struct {
	Name       string
	Client     bool // the span is a request to another process
	Attributes []Attribute
}

// Attribute is an attribute of a span. Empty values are left out.
type Attribute struct{ Name, Value string }

// Span is something that takes time. Set and End may be called from any goroutine, and
// have no effect after the first End.
type Span interface {
	// Traceparent identifies the span for others.
	Traceparent() string
	Set(name, value string)
	// End ends the span. failure is the error.type, "" after a success.
	End(failure string)
}

// TraceID is the id of the trace of a traceparent, 32 hexadecimal digits; "" if it is none.
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
