// Package telemetry turns the measures of a gateway into metrics, and writes them for
// Prometheus. An Exporter sends spans and metrics to a collector of OpenTelemetry, with OTLP over
// HTTP as protobuf.
package telemetry
