package telemetry

import (
	"encoding/binary"
	"math"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/toolscript/toolscript"
)

// This file writes the messages of OTLP 1.x field by field. The field numbers are those of
// opentelemetry-proto. The tests read the messages with the generated code of opentelemetry-proto.

// message is a protobuf message.
type message []byte

func (m *message) bytes(field protowire.Number, value []byte) {
	if len(value) > 0 {
		*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), value)
	}
}

func (m *message) text(field protowire.Number, value string) { m.bytes(field, []byte(value)) }

// nested writes a message, even an empty one.
func (m *message) nested(field protowire.Number, value message) {
	*m = protowire.AppendBytes(protowire.AppendTag(*m, field, protowire.BytesType), value)
}

func (m *message) number(field protowire.Number, value uint64) {
	*m = protowire.AppendVarint(protowire.AppendTag(*m, field, protowire.VarintType), value)
}

func (m *message) fixed64(field protowire.Number, value uint64) {
	*m = protowire.AppendFixed64(protowire.AppendTag(*m, field, protowire.Fixed64Type), value)
}

func (m *message) double(field protowire.Number, value float64) {
	m.fixed64(field, math.Float64bits(value))
}

func (m *message) time(field protowire.Number, t time.Time) {
	m.fixed64(field, uint64(t.UnixNano()))
}

// packed64 writes a packed field of fixed64 or double.
func (m *message) packed64(field protowire.Number, values []uint64) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	m.bytes(field, b)
}

// attributes writes a repeated KeyValue.
func (m *message) attributes(field protowire.Number, all []attribute.KeyValue) {
	for _, a := range all {
		var value, pair message
		value.nested(1, message(a.Value.String())) // AnyValue.string_value
		pair.text(1, string(a.Key))
		pair.nested(2, value)
		m.nested(field, pair)
	}
}

func resourceOf(r *resource.Resource) (m message) {
	m.attributes(1, r.Attributes())
	return m
}

func scope() (m message) {
	m.text(1, "github.com/toolscript/toolscript")
	m.text(2, toolscript.Version)
	return m
}

// traces returns an ExportTraceServiceRequest.
func traces(r *resource.Resource, spans []trace.ReadOnlySpan) message {
	var ofScope, ofResource, request message
	ofScope.nested(1, scope())
	for _, s := range spans {
		ofScope.nested(2, spanOf(s))
	}
	ofResource.nested(1, resourceOf(r))
	ofResource.nested(2, ofScope)
	request.nested(1, ofResource)
	return request
}

// The kinds of spans and the codes of states in OTLP.
const (
	kindInternal = 1
	kindClient   = 3
	statusError  = 2
)

func spanOf(s trace.ReadOnlySpan) (m message) {
	trace, span := s.SpanContext().TraceID(), s.SpanContext().SpanID()
	m.bytes(1, trace[:])
	m.bytes(2, span[:])
	m.text(3, s.SpanContext().TraceState().String())
	if parent := s.Parent().SpanID(); parent.IsValid() {
		m.bytes(4, parent[:])
	}
	m.text(5, s.Name())
	kind := uint64(kindInternal)
	if s.SpanKind() == oteltrace.SpanKindClient {
		kind = kindClient
	}
	m.number(6, kind)
	m.time(7, s.StartTime())
	m.time(8, s.EndTime())
	m.attributes(9, s.Attributes())
	if s.Status().Code == codes.Error {
		var status message
		status.text(2, s.Status().Description)
		status.number(3, statusError)
		m.nested(15, status)
	}
	return m
}

// cumulative is the temporality of all metrics: values count from the start of the gateway.
const cumulative = 2

// metrics returns an ExportMetricsServiceRequest.
func metrics(r *resource.Resource, families []Family, started, now time.Time) message {
	var ofScope, ofResource, request message
	ofScope.nested(1, scope())
	for _, f := range families {
		if len(f.Points) > 0 {
			ofScope.nested(2, metricOf(f, started, now))
		}
	}
	ofResource.nested(1, resourceOf(r))
	ofResource.nested(2, ofScope)
	request.nested(1, ofResource)
	return request
}

func metricOf(f Family, started, now time.Time) (m message) {
	m.text(1, f.Name)
	m.text(2, f.Help)
	m.text(3, f.Unit)
	var data message
	for _, p := range f.Points {
		data.nested(1, pointOf(p, started, now))
	}
	switch f.Kind {
	case Gauge:
		m.nested(5, data)
	case Counter:
		data.number(2, cumulative)
		data.number(3, 1) // the sum is monotonic
		m.nested(7, data)
	case Histogram:
		data.number(2, cumulative)
		m.nested(9, data)
	}
	return m
}

func pointOf(p Point, started, now time.Time) (m message) {
	m.time(2, started)
	m.time(3, now)
	var labels []attribute.KeyValue
	for _, l := range p.Labels {
		labels = append(labels, attribute.String(l.Name, l.Value))
	}
	if p.Durations == nil {
		m.double(4, p.Value)
		m.attributes(7, labels)
		return m
	}
	m.fixed64(4, p.Durations.Count())
	m.double(5, p.Durations.Sum.Seconds())
	m.packed64(6, p.Durations.Counts[:])
	var bounds []uint64
	for _, b := range toolscript.DurationBounds {
		bounds = append(bounds, math.Float64bits(b.Seconds()))
	}
	m.packed64(7, bounds)
	m.attributes(9, labels)
	return m
}
