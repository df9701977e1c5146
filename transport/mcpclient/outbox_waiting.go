package mcpclient

// Close ends the outbox without blocking. Waiting messages are written before the
// server's standard input is closed.
func (o *outbox) Close() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.changed.Signal()
	return nil
}

// run writes until the outbox is closed and empty, or a write fails.
func (o *outbox) run() {
	defer func() { _ = o.to.Close() }() // the server may have exited
	for {
		message, ok := o.take()
		if !ok {
			return
		}
		if !o.write(message) {
			return
		}
	}
}

// write writes one message. If no further message can be written, or after a panic, it
// closes broken, so that no caller waits for this outbox, and returns false.
func (o *outbox) write(message []byte) (ok bool) {
	defer func() {
		if !ok {
			o.fail()
		}
	}()
	if _, err := o.to.Write(message); err != nil {
		return false
	}
	o.written(message)
	return true
}

// take waits for a message. It returns false if the outbox has ended.
func (o *outbox) take() ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.waiting) == 0 {
		if o.closed {
			return nil, false
		}
		o.waiting = nil // releases the memory of a burst
		o.changed.Wait()
	}
	message := o.waiting[0]
	o.waiting[0] = nil
	o.waiting, o.writing = o.waiting[1:], true
	return message, true
}

// written subtracts a message from the size after it was written. Until then, the message occupies
// as much memory as a waiting one.
func (o *outbox) written(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
	if !o.failed {
		o.count(-len(message))
	}
}

func (o *outbox) fail() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.failed, o.waiting = true, true, nil
	o.count(-o.size)
	close(o.broken)
}
