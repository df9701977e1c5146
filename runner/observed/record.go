// Package observed records those actions of the processes of a server that a confinement could
// refuse: the files that they open and change, the programs that they start, the addresses that
// they connect to, and system calls that no confined server may make. It refuses nothing.
//
// A helper makes the kernel report these calls, and becomes the server; see package notify.
package observed

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Use is a way to use a file.
type Use int

// The uses of a file.
const (
	Read   Use = iota
	Run        // execution as a program
	List       // reading of a folder
	Write      // writing to an existing file
	Change     // creation, removal or renaming of its name
	uses
)

// A File is a path and how often it was used.
type File struct {
	Path   string // absolute, without symbolic links
	Folder bool
	Counts [uses]int
}

// Writes reports whether the file or its name was changed.
func (f File) Writes() bool { return f.Counts[Write]+f.Counts[Change] > 0 }

// Reads reports whether the file was read.
func (f File) Reads() bool { return f.Counts[Read]+f.Counts[Run]+f.Counts[List] > 0 }

// Count returns how often the file was used.
func (f File) Count() (n int) {
	for _, c := range f.Counts {
		n += c
	}
	return n
}

// The kinds of acts.
const (
	Connect   = "connect"   // a connection to a TCP address, not through the proxy
	Datagram  = "datagram"  // UDP
	Unix      = "unix"      // a connection to a unix socket
	Listen    = "listen"    // listening on a port or a unix socket
	Socket    = "socket"    // a socket of another family
	Signal    = "signal"    // a signal to a process that does not belong to the server
	Mode      = "mode"      // a change of the mode of a file
	Times     = "times"     // a change of the times of a file
	SetID     = "set-id"    // a file becomes setuid or setgid; also recorded as Mode
	Call      = "call"      // a call that no confined server may make
	Attribute = "attribute" // a call that changes extended attributes
	Proxied   = "proxied"   // a connection through the proxy
	Refused   = "refused"   // a connection that the proxy refused
)

// An Act is an action of a process other than the use of a file.
type Act struct {
	Kind   string
	Target string // an address, a path, or the name of a call
}

// An Acted is an act and how often it was done.
type Acted struct {
	Act
	Count int
}

// A Record collects observations. Its methods are safe for concurrent use. The zero value is empty.
type Record struct {
	mu     sync.Mutex
	files  map[string]*File
	acts   map[Act]int
	bases  []Base
	unread int
	more   int
}

// most bounds the number of files and of acts in a record, because a server could name any number.
const most = 50_000

// Base lists what one process may access whatever its profile says.
type Base struct {
	Dir         string // working directory
	Read, Write []string
	Own         []string // folders in Write that were created for this server: caches and the temporary folder
	Port        uint16   // port of the proxy
	Modes       bool     // it may change the modes of files in Write, regardless of its profile
}

// Begin records the start of a process.
func (r *Record) Begin(b Base) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bases = append(r.bases, b)
}

// Bases returns the bases of all processes that were started.
func (r *Record) Bases() []Base {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bases)
}

// Act records an act.
func (r *Record) Act(kind, target string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.acts == nil {
		r.acts = map[Act]int{}
	}
	act := Act{kind, target}
	if _, known := r.acts[act]; !known && len(r.acts) >= most {
		r.more++
		return
	}
	r.acts[act]++
}

// File records a use of a file.
func (r *Record) File(path string, folder bool, use Use) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files == nil {
		r.files = map[string]*File{}
	}
	f := r.files[path]
	if f == nil {
		if len(r.files) >= most {
			r.more++
			return
		}
		f = &File{Path: path}
		r.files[path] = f
	}
	f.Folder = f.Folder || folder
	f.Counts[use]++
}

func (r *Record) missed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unread++
}

// Unread returns how many calls could not be read.
func (r *Record) Unread() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unread
}

// More returns how many uses of files and acts were omitted because the record was full.
func (r *Record) More() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.more
}

// Files returns all files, sorted by path.
func (r *Record) Files() (all []File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		all = append(all, *r.files[path])
	}
	return all
}

// Acts returns all acts, sorted by kind and target.
func (r *Record) Acts() (all []Acted) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for act, n := range r.acts {
		all = append(all, Acted{act, n})
	}
	slices.SortFunc(all, func(a, b Acted) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Target, b.Target))
	})
	return all
}
