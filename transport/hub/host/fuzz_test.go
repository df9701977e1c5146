package host_test

import (
	"testing"

	"github.com/toolscript/toolscript/transport/hub/host"
	"github.com/toolscript/toolscript/transport/hub/wire"
)

// FuzzParseConnectRequest checks that an accepted request has the protocol of the hub, and an id
// unless it is a query.
func FuzzParseConnectRequest(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"id":"0123456789abcdef0123456789abcdef","token":"t","label":"l","pid":3}`))
	f.Add([]byte(`{"protocol":1,"query":true}`))
	f.Add([]byte(`{"protocol":2}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		me, err := host.ParseConnectRequest(line)
		if err == nil && (me.Protocol != wire.Protocol || !me.Query && !wire.ValidID(me.ID)) {
			t.Errorf("request %+v", me)
		}
	})
}
