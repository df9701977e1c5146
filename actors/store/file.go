package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/internal/files"
)

// lockTime is how long an operation waits for operations of other gateways.
const lockTime = 5 * time.Second

// The buckets values and about of a file, and the keys of the bucket about.
var (
	values = []byte("values") // the value of each key: header and JSON
	about  = []byte("about")
	used   = []byte("used")  // bytes of all keys and values, and their number
	whose  = []byte("owner") // the session or the folder
)

// file has the values of one scope of one owner.
type file struct {
	path  string
	owner string
	now   time.Time
}

// stored is a value with its header: version, time of the change and time of expiry, both in
// milliseconds since 1970. An expiry of 0 means never.
type stored []byte

const header = 24

func newStored(version uint64, now time.Time, ttl time.Duration, value []byte) stored {
	s := make(stored, header, header+len(value))
	binary.BigEndian.PutUint64(s, version)
	binary.BigEndian.PutUint64(s[8:], uint64(now.UnixMilli()))
	if ttl > 0 {
		binary.BigEndian.PutUint64(s[16:], uint64(now.Add(ttl).UnixMilli()))
	}
	return append(s, value...)
}

func (s stored) version() uint64 { return binary.BigEndian.Uint64(s) }
func (s stored) updated() int64  { return int64(binary.BigEndian.Uint64(s[8:])) }
func (s stored) expires() int64  { return int64(binary.BigEndian.Uint64(s[16:])) }

// live returns the value, or nil if there is no value or it has expired.
func (f file) live(s stored) stored {
	if len(s) < header || s.expires() != 0 && s.expires() <= f.now.UnixMilli() {
		return nil
	}
	return s
}

// view reads the file. read gets nil if there is no file.
func (f file) view(read func(*bbolt.Bucket)) error {
	err := f.use(bbolt.Options{ReadOnly: true}, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			read(tx.Bucket(values))
			return nil
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		read(nil)
		return nil
	}
	return f.problem(err)
}

// change changes the file.
func (f file) change(write func(*bbolt.Bucket, *usage) error) error {
	if err := f.create(); err != nil {
		return f.problem(err)
	}
	return f.problem(f.use(bbolt.Options{}, func(db *bbolt.DB) error { return db.Update(f.updated(write)) }))
}

// updated returns the transaction of a change.
func (f file) updated(write func(*bbolt.Bucket, *usage) error) func(*bbolt.Tx) error {
	return func(tx *bbolt.Tx) error {
		all, err := tx.CreateBucketIfNotExists(values)
		if err != nil {
			return err
		}
		notes, err := tx.CreateBucketIfNotExists(about)
		if err != nil {
			return err
		}
		u := readUsage(notes)
		if err := write(all, &u); err != nil {
			return err
		}
		return errors.Join(notes.Put(used, u.encode()), notes.Put(whose, []byte(f.owner)))
	}
}

var errEmpty = errors.New("it is empty")

// use opens the file for one operation. It refuses an empty file, which is damaged (see create):
// bbolt would turn it into a new database.
func (f file) use(o bbolt.Options, with func(*bbolt.DB) error) error {
	o.Timeout, o.FreelistType = lockTime, bbolt.FreelistMapType
	empty := &files.DamagedDatabase{Path: f.path, Err: errEmpty}
	if !o.ReadOnly && f.isEmpty() {
		return empty
	}
	err := files.UseDatabase(f.path, o, with)
	if err != nil && f.isEmpty() {
		return empty
	}
	return err
}

func (f file) isEmpty() bool {
	info, err := os.Stat(f.path)
	return err == nil && info.Size() == 0
}

// create creates the file if it does not exist. The file appears at once and complete: a process
// that is killed meanwhile leaves no partial file.
func (f file) create() error {
	if _, err := os.Lstat(f.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folder := filepath.Dir(f.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(folder, "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // after a kill, sweep removes it
	path := filepath.Join(dir, filepath.Base(f.path))
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	if err := os.Link(path, f.path); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil // another gateway was faster
}

// problem explains an error of the file system. Errors of this program stay unchanged.
func (f file) problem(err error) error {
	var own *toolscript.Error
	var damaged *files.DamagedDatabase
	switch {
	case err == nil, errors.As(err, &own):
		return err
	case errors.Is(err, bolterrors.ErrTimeout):
		return errBusy
	case errors.As(err, &damaged):
		return &toolscript.Error{Kind: toolscript.Internal, Err: fmt.Errorf("the file of the store %w", damaged)}
	case errors.Is(err, syscall.ENOSPC):
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the file %s of the store: %w; make room on the disk and try again", f.path, err)}
	default:
		return &toolscript.Error{Kind: toolscript.Unavailable, Err: fmt.Errorf("the file %s of the store: %w", f.path, err)}
	}
}

// usage is the size and the number of the values of a file.
type usage struct{ bytes, keys int64 }

func readUsage(b *bbolt.Bucket) (u usage) {
	if text := b.Get(used); len(text) == 16 {
		u.bytes, u.keys = int64(binary.BigEndian.Uint64(text)), int64(binary.BigEndian.Uint64(text[8:]))
	}
	return u
}

func (u usage) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, uint64(u.bytes)), uint64(u.keys))
}

func (u usage) fits() bool { return u.bytes <= MaxScope && u.keys <= MaxKeys }

// add counts a key with its value, n times.
func (u *usage) add(key []byte, s stored, n int64) {
	if s != nil {
		u.bytes += n * int64(len(key)+len(s)-header)
		u.keys += n
	}
}

func (f file) get(key string) (a Answer, err error) {
	err = f.view(func(all *bbolt.Bucket) {
		if all == nil {
			return
		}
		if s := f.live(all.Get([]byte(key))); s != nil {
			a.Value, a.Version = bytes.Clone(s[header:]), s.version()
		}
	})
	return a, err
}

// set stores a value, unless the key does not have the version of the request.
func (f file) set(q Request) (a Answer, err error) {
	err = f.change(func(all *bbolt.Bucket, u *usage) error {
		key := []byte(q.Key)
		before := stored(all.Get(key))
		if !f.expected(before, q.Version) {
			return nil
		}
		if q.Scope == Calls && before == nil { // values of Calls hold answers of servers: drop them soon
			if err := f.drop(all, u, key); err != nil {
				return err
			}
		}
		version, err := all.NextSequence()
		if err != nil {
			return err
		}
		after := newStored(version, f.now, q.TTL, q.Value)
		u.add(key, before, -1)
		u.add(key, after, 1)
		if !u.fits() {
			if err := f.drop(all, u, key); err != nil {
				return err
			}
		}
		if !u.fits() {
			return &toolscript.Error{Kind: toolscript.TooLarge, Err: fmt.Errorf(
				"the store of the scope %s is full: it has up to %d MB and %d keys; delete values, or give them a ttl", q.Scope, MaxScope>>20, MaxKeys)}
		}
		a.Stored, a.Version = true, version
		return all.Put(key, after)
	})
	return a, err
}

func (f file) delete(q Request) (a Answer, err error) {
	if _, err := os.Lstat(f.path); errors.Is(err, fs.ErrNotExist) {
		return Answer{}, nil
	}
	err = f.change(func(all *bbolt.Bucket, u *usage) error {
		key := []byte(q.Key)
		before := stored(all.Get(key))
		if !f.expected(before, q.Version) || before == nil {
			return nil
		}
		a.Stored = f.live(before) != nil
		u.add(key, before, -1)
		return all.Delete(key)
	})
	return a, err
}

// expected reports whether a key has the version of a request. A request without a version accepts any.
func (f file) expected(before stored, want *uint64) bool {
	if want == nil {
		return true
	}
	version := uint64(0)
	if s := f.live(before); s != nil {
		version = s.version()
	}
	return version == *want
}

// drop removes the expired values, except that of the key but, which is being set.
func (f file) drop(all *bbolt.Bucket, u *usage, but []byte) error {
	var over [][]byte
	cursor := all.Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		if f.live(v) == nil && !bytes.Equal(k, but) {
			u.add(k, v, -1)
			over = append(over, bytes.Clone(k))
		}
	}
	for _, k := range over {
		if err := all.Delete(k); err != nil {
			return err
		}
	}
	return nil
}

func (f file) list(prefix string) (a Answer, err error) {
	a.Entries = []Entry{}
	err = f.view(func(all *bbolt.Bucket) {
		if all == nil {
			return
		}
		cursor := all.Cursor()
		for k, v := cursor.Seek([]byte(prefix)); bytes.HasPrefix(k, []byte(prefix)) && k != nil; k, v = cursor.Next() {
			if s := f.live(v); s != nil {
				a.Entries = append(a.Entries, Entry{Key: string(k), Bytes: len(s) - header, Updated: s.updated(), Expires: s.expires(), Version: s.version()})
			}
		}
	})
	return a, err
}
