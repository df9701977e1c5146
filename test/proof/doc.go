// Package proof contains tests with many repetitions. They have the build tag proof; run them with
// `task proof`.
package proof
