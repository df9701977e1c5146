//go:build !unix

package worker

func limitResources() ([]string, error) { return nil, errNoWorkers }
