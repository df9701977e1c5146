package mcp

import (
	"context"
	"encoding/json"
	"time"
)

// taskPause is the time between two notifications about a task.
const taskPause = 250 * time.Millisecond

// change wakes all goroutines that follow the task. The caller holds mu.
func (t *task) change() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// follow notifies the client of each state of a task, as tasks/get returns it, until the task or ctx ends.
func (l *listener) follow(ctx context.Context, t *task) {
	var last taskState
	for {
		t.mu.Lock()
		moved := t.moved
		t.mu.Unlock()
		state, err := t.state(ctx)
		if err != nil {
			return // the client learns the error from tasks/get
		}
		if state.Status != last.Status || state.Message != last.Message || !state.Updated.Equal(last.Updated) {
			text, _ := json.Marshal(state) // it always has a JSON form
			var params map[string]any
			_ = json.Unmarshal(text, &params) // it was an object
			l.notify("notifications/tasks", params)
		}
		if last = state; !state.runs() {
			return
		}
		pause, stop := context.WithTimeout(ctx, taskPause)
		for _, wait := range []<-chan struct{}{moved, pause.Done()} {
			select {
			case <-wait:
			case <-t.done:
			case <-ctx.Done():
			}
		}
		if stop(); ctx.Err() != nil {
			return
		}
	}
}
