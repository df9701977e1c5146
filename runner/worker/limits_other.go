//go:build !unix

package worker

import "github.com/toolscript/toolscript"

func limitResources() ([]toolscript.Confinement, error) { return nil, errNoWorkers }
