// Package pin records the tools of each server at their first use, and finds differences
// later. It also finds texts of servers that look like an attempt to instruct a model. The records
// are in files of the data folder. A Guard does all this and is safe for concurrent use. See
// docs/design/trust-and-secrets.md.
package pin
