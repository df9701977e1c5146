// Package observed records what the processes of a server do that a confinement could
// refuse: the files that they open and change, the programs that they start, the addresses
// that they connect to, and calls that no confined server may make. Nothing is refused.
//
// A helper has the kernel report these calls, and becomes the server; see package notify.
package observed

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Use is what was done with a file.
type Use int

// The uses of a file.
const (
	Read   Use = iota
	Run        // as a program
	List       // of a folder
	Write      // of a file that exists
	Change     // its name was created, removed or renamed
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

// Count is how often the file was used.
func (f File) Count() (n int) {
	for _, c := range f.Counts {
		n += c
	}
	return n
}

// What kind of act it was.
const (
	Connect   = "connect"   // to a TCP address, without the proxy
	Datagram  = "datagram"  // UDP
	Unix      = "unix"      // a connection to a unix socket
	Listen    = "listen"    // on a port or a unix socket
	Socket    = "socket"    // of another family
	Signal    = "signal"    // to a process that is not the server's
	Mode      = "mode"      // a change of the mode of a file
	Times     = "times"     // a change of the times of a file
	SetID     = "set-id"    // a file becomes setuid or setgid; it is a Mode as well
	Call      = "call"      // a call that no confined server may make
	Attribute = "attribute" // a call that changes extended attributes
	Proxied   = "proxied"   // a connection through the proxy
	Refused   = "refused"   // a connection that the proxy has refused
)

// An Act is something else that a process did.
type Act struct {
	Kind   string
	Target string // an address, a path, or the name of a call
}

// An Acted is an act and how often it was done.
type Acted struct {
	Act
	Count int
}

// A Record is what was observed. Its methods may be called at any time.
type Record struct {
	mu     sync.Mutex
	files  map[string]*File
	acts   map[Act]int
	bases  []Base
	unread int
	more   int
}

// most bounds the files and the acts of a record: a server could name any number of them.
const most = 50_000

// Base is what one process may use in any case.
type Base struct {
	Dir         string // its working directory
	Read, Write []string
	Own         []string // folders in Write that were made for this server: its caches and its temporary folder
	Port        uint16   // of the proxy
	Modes       bool     // it may change the modes of files in Write, whatever its profile
}

// Begin notes that a process is started.
func (r *Record) Begin(b Base) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bases = append(r.bases, b)
}

// Bases are those of all processes that were started.
func (r *Record) Bases() []Base {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.bases)
}

// Act notes an act.
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

// File notes a use of a file.
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

// Unread is how many calls could not be read.
func (r *Record) Unread() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.unread
}

// More is how many uses of files and acts were left out, because the record was full.
func (r *Record) More() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.more
}

// Files are all files, sorted by path.
func (r *Record) Files() (all []File) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, path := range slices.Sorted(maps.Keys(r.files)) {
		all = append(all, *r.files[path])
	}
	return all
}

// Acts are all acts, sorted by kind and target.
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
