//go:build linux

package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// asNode is the argument that makes this program a NATS server of the cluster. The process ends with its
// standard input.
const asNode = "be-a-node"

// nodeSettings are the settings of a NATS server.
type nodeSettings struct {
	Name    string
	Client  int    // port for clients
	Cluster int    // port for the other nodes
	Monitor int    // port of the HTTP monitoring
	Routes  []int  // cluster ports of all nodes
	Store   string // folder of JetStream
}

// runNode runs a NATS server until standard input ends.
func runNode(a nodeSettings) error {
	o := &server.Options{
		ServerName: a.Name, Host: loopback, Port: a.Client, HTTPHost: loopback, HTTPPort: a.Monitor, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: a.Store,
		Cluster: server.ClusterOpts{Name: "fleet", Host: loopback, Port: a.Cluster},
	}
	for _, port := range a.Routes {
		if port != a.Cluster {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: loopback + ":" + strconv.Itoa(port)})
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
