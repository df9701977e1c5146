//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// asNode is the argument that makes this program a NATS server of the cluster. The process ends with its
// standard input.
const asNode = "be-a-node"

// nodeArgs are the arguments after asNode.
type nodeArgs struct {
	name    string
	client  int    // port for clients
	cluster int    // port for the other nodes
	monitor int    // port of the HTTP monitoring
	routes  string // cluster ports of all nodes, separated by commas
	store   string // folder of JetStream
}

func (a nodeArgs) encode() []string {
	return []string{asNode, a.name, strconv.Itoa(a.client), strconv.Itoa(a.cluster), strconv.Itoa(a.monitor), a.routes, a.store}
}

func decodeNode(args []string) (a nodeArgs, err error) {
	if len(args) != 6 {
		return a, errors.New("wrong arguments of a node")
	}
	a.name, a.routes, a.store = args[0], args[4], args[5]
	for i, to := range []*int{&a.client, &a.cluster, &a.monitor} {
		if *to, err = strconv.Atoi(args[1+i]); err != nil {
			return a, err
		}
	}
	return a, nil
}

// runNode runs a NATS server until standard input ends.
func runNode(args []string) error {
	a, err := decodeNode(args)
	if err != nil {
		return err
	}
	o := &server.Options{
		ServerName: a.name, Host: loopback, Port: a.client, HTTPHost: loopback, HTTPPort: a.monitor, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: a.store,
		Cluster: server.ClusterOpts{Name: "fleet", Host: loopback, Port: a.cluster},
	}
	for port := range strings.SplitSeq(a.routes, ",") {
		if port != strconv.Itoa(a.cluster) {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: loopback + ":" + port})
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	if !s.ReadyForConnections(30 * time.Second) {
		return errors.New("the NATS server is not ready")
	}
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin)
	s.Shutdown()
	return err
}
