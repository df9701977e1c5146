package web

import "sync"

// keyed holds a mutex for each key in use.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*counted
}

type counted struct {
	mu    sync.Mutex
	users int
}

// lock waits for the lock of a key and returns the function that releases it.
func (k *keyed) lock(key string) (release func()) {
	k.mu.Lock()
	one := k.locks[key]
	if one == nil {
		one = &counted{}
		k.locks[key] = one
	}
	one.users++
	k.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(k.locks, key)
		}
	}
}
