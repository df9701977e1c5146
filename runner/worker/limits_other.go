//go:build !unix

package worker

import "github.com/toolscript/toolscript"

func limitResources() ([]toolscript.WallPart, error) { return nil, errNoWorkers }
