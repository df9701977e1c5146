package mcp

import (
	"slices"
	"sync"
)

// pending collects values, each once, until they are taken.
type pending[T comparable] struct {
	wake chan struct{} // receives a value when some wait

	mu     sync.Mutex
	values []T
}

func newPending[T comparable]() *pending[T] { return &pending[T]{wake: make(chan struct{}, 1)} }

// note adds a value. It does not block.
func (p *pending[T]) note(value T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.values, value) {
		p.values = append(p.values, value)
	}
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *pending[T]) take() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	values := p.values
	p.values = nil
	return values
}
