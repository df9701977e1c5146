package confine

import (
	"net"
	"slices"
	"strings"

	"github.com/toolscript/toolscript/runner/observed"
	"github.com/toolscript/toolscript/transport/egress"
)

// acts adds hosts to the profile, and reports what no profile allows.
func (w *work) acts(all []observed.Acted) {
	listens := slices.ContainsFunc(all, func(a observed.Acted) bool { return a.Kind == observed.Listen })
	addressed := slices.ContainsFunc(all, func(a observed.Acted) bool { return a.Kind == observed.Datagram && a.Target != "" })
	for _, a := range all {
		p := Problem{Count: a.Count}
		switch a.Kind {
		case observed.Proxied:
			w.host(a)
			continue
		case observed.Refused:
			p.What, p.Why = "connects to "+a.Target, `it is not in "net"`
		case observed.Connect:
			p.What, p.Why = "connects to "+a.Target+" without the proxy", "such connections fail when the server is confined: the program does not follow HTTPS_PROXY; Node.js does since version 24"
		case observed.Datagram:
			switch {
			case a.Target == "" && addressed:
				continue // the addresses are reported
			case a.Target == "":
				p.What = "creates UDP sockets"
			case strings.HasSuffix(a.Target, ":53"):
				p.What = "asks the DNS server " + strings.TrimSuffix(a.Target, ":53")
			default:
				p.What = "uses UDP to " + a.Target
			}
			p.Why, p.Minor = "a confined server has no UDP; the proxy resolves the names of hosts", true
		case observed.Unix:
			p.What, p.Why, p.Sensitive = "connects to the unix socket "+w.shown(a.Target), "a confined server has no unix sockets: they lead to programs that are not confined", w.sensitive(a.Target)
		case observed.Listen:
			p.What, p.Why, p.Minor = w.bound(a.Target, all)
		case observed.Socket:
			p.What, p.Why = "creates a socket of the kind "+a.Target, "a confined server has TCP sockets only"
		case observed.Signal:
			p.What, p.Why = "sends signals to "+a.Target, "a confined server reaches its own processes only"
		case observed.Call:
			if a.Target == "listen" && listens {
				continue // the addresses are reported
			}
			p.What, p.Why = "calls "+a.Target, "the call is refused to every confined server"
		case observed.Attribute:
			p.Minor = true
			p.What, p.Why = "calls "+a.Target, "changes of extended attributes have no effect: the call fails as on a file system without them, and most programs go on"
		case observed.Mode:
			if w.changeable(a.Target) {
				continue
			}
			p.What, p.Why = "changes the mode of "+w.shown(a.Target), `modes may be changed in "write" only`
		case observed.Times:
			if w.changeable(a.Target) {
				continue
			}
			p.Minor = true
			p.What, p.Why = "changes the times of "+w.shown(a.Target), `times may be changed in "write" only`
		case observed.SetID:
			p.What, p.Why = "makes "+w.shown(a.Target)+" setuid or setgid", "a confined server cannot do that"
		default:
			continue
		}
		w.problem(p)
	}
}

// bound returns the parts of the problem that the server has bound a socket to an address. urllib3 binds one to any
// free port when it is imported, and does not listen; this is minor.
func (w *work) bound(to string, all []observed.Acted) (what, why string, minor bool) {
	listens := func(a observed.Acted) bool { return a.Kind == observed.Call && a.Target == "listen" }
	if to == "TCP port 0" && !slices.ContainsFunc(all, listens) {
		return "binds a socket to a free TCP port", "a confined server cannot; libraries try it to find out whether there is IPv6", true
	}
	return "listens on " + w.shown(to), "a confined server cannot listen", false
}

// changeable reports whether the profile lets the server change the mode and times of a
// file. It cannot change any if no folder is writable and modes are not allowed.
func (w *work) changeable(path string) bool {
	return w.written.cover(path) || w.base.write.cover(path) && (w.modes || len(w.out.Profile.Write) > 0)
}

// host adds a host with its port to the profile.
func (w *work) host(a observed.Acted) {
	if w.hosts[a.Target] {
		return
	}
	if err := egress.CheckTarget(a.Target); err != nil {
		w.problem(Problem{What: "connects to " + a.Target, Count: a.Count, Why: err.Error()})
		return
	}
	if host, _, err := net.SplitHostPort(a.Target); err == nil && egress.ReachOfHost(host) != egress.Public {
		w.problem(Problem{
			What: "connects to " + a.Target, Count: a.Count, Sensitive: true,
			Why: "it is in this machine or in the local network, where services trust their neighbours, and is never suggested; add it by hand if the server needs it",
		})
		return
	}
	w.out.Profile.Name = ""
	w.out.Profile.Net = append(w.out.Profile.Net, a.Target)
	w.out.Reasons = append(w.out.Reasons, Reason{Kind: "net", Entry: a.Target, Count: a.Count})
}
