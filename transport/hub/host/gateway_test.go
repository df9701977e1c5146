package host

import (
	"strconv"
	"sync"
	"testing"

	"github.com/toolscript/toolscript/transport/hub/wire"
)

// TestGatewayCount checks that the hub reports each change of the number of gateways in order:
// each number differs from the one before by one, and the last is 0.
func TestGatewayCount(t *testing.T) {
	var mu sync.Mutex
	last, wrong := 0, 0
	h := &Host{options: Options{Changed: func(n int) {
		mu.Lock()
		defer mu.Unlock()
		if n != last+1 && n != last-1 {
			wrong++
		}
		last = n
	}}}
	h.init(nil, nil, nil)
	var all sync.WaitGroup
	for i := range 8 {
		me := wire.ConnectRequest{ID: strconv.Itoa(i)}
		all.Go(func() {
			for range 2000 {
				if !h.arrived(me) || h.arrived(me) {
					t.Error("an id is not used once")
					return
				}
				h.left(me.ID)
			}
		})
	}
	all.Wait()
	if last != 0 || wrong > 0 {
		t.Errorf("the last number is %d, and %d numbers are out of order", last, wrong)
	}
}
