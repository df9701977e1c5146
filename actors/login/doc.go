// Package login is the actor of pending logins. It maps redirects to flows. A flow
// accepts one redirect within five minutes. A new flow for the same server replaces
// the old one.
package login
