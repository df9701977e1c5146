// Package status shows what this program is running for a user on this host, and what ended
// processes have left. It follows the live events of a gateway. Its screen shows the activity
// of a gateway, or the gateways of a host, on a terminal, and lets a person act on it. The
// screen has the views of the operator page, and needs neither colours nor a mouse.
package status
