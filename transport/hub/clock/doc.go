// Package clock measures time also while the process is stopped or the machine is suspended.
package clock
