// Package discovery stores the entries of running gateways, so that other commands find them.
// An entry contains the capability of its gateway: only the user can read it, and it is never
// printed as a whole. The package also starts gateways and hubs that outlive the command that
// starts them, has the flags of such a gateway, and finds out when the client of a gateway has
// ended.
package discovery
