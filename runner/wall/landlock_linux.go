package wall

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/toolscript/toolscript"
)

// Landlock takes everything from this process that Landlock of the running
// kernel knows: no file can be opened any more, and no port be reached. Descriptors
// that are open stay usable.
//
// It is no wall against the network: before ABI 10 it holds TCP alone, and not
// the multipath TCP that net.Listen uses.
func Landlock() (toolscript.WallPart, error) {
	part := toolscript.WallPart{Name: LandlockName}
	version, err := abi.LandlockGetABIVersion()
	if err != nil || version < 1 {
		part.Detail = "this kernel has no Landlock, or it is not enabled; Linux 5.13 and newer have it"
		return part, nil //nolint:nilerr // a kernel without it is an answer
	}
	config := landlock.V11
	signals := version >= scopeABI && signalsWithinProcess()
	if !signals {
		config = landlock.MustConfig(config.HandledAccessFS, config.HandledAccessNet)
	}
	if err := config.BestEffort().Restrict(); err != nil {
		return part, fmt.Errorf("landlock: %w", err)
	}
	part.Active, part.Detail = true, describe(version, signals)
	return part, nil
}

// signalErratum is the fix after which threads of one process that were
// restricted one by one may send signals to each other, which Go's scheduler
// does all the time.
const signalErratum = 1 << 1

func signalsWithinProcess() bool {
	fixed, err := abi.LandlockGetErrata()
	return err == nil && fixed&signalErratum != 0
}
