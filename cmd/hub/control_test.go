package hub_test

import (
	"testing"

	"github.com/toolscript/toolscript"
	"github.com/toolscript/toolscript/cmd/hub"
	"github.com/toolscript/toolscript/test/kit"
	"github.com/toolscript/toolscript/transport/hub/cluster"
)

// TestControl: a hub can stop hubs and release leases; a gateway and an operator cannot.
func TestControl(t *testing.T) {
	address := startNATS(t,
		user{name: "hub", roles: []hub.Role{hub.RoleHub}},
		user{name: "ann", roles: []hub.Role{hub.RoleGateway}},
		user{name: "eve", roles: []hub.Role{hub.RoleOperator}},
	)
	if err := join(t, as(address, "hub"), false, "github"); err != nil {
		t.Fatal(err)
	}
	if err := call(t, as(address, "ann"), "github"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ann", "eve"} {
		if _, err := cluster.Release(kit.Within(t), as(address, name), "github"); toolscript.KindOf(err) != toolscript.Forbidden {
			t.Errorf("%s releases a server: %v", name, err)
		}
		if _, err := cluster.Drain(kit.Within(t), as(address, name), "there"); toolscript.KindOf(err) != toolscript.Forbidden {
			t.Errorf("%s ends a hub: %v", name, err)
		}
	}
	r, err := cluster.Release(kit.Within(t), as(address, "hub"), "github")
	if err != nil || r.Host != "there" {
		t.Errorf("a hub releases a server: %+v, %v", r, err)
	}
}
