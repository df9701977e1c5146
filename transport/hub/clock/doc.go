// Package clock measures time, even while the process is stopped or the machine is suspended.
package clock
