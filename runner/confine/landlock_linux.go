package confine

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/toolscript/toolscript"
)

// Landlock removes all rights from this process that the kernel's Landlock can restrict: the
// process can no longer open files or reach ports. Open descriptors stay usable.
//
// Landlock alone does not prevent network access: before ABI 10 it only covers TCP, and not
// the multipath TCP that net.Listen uses.
func Landlock() (toolscript.Confinement, error) {
	part := Kernel()
	if !part.Active {
		return part, nil
	}
	config := landlock.V11
	if !signalsWithinProcess() {
		config = landlock.MustConfig(config.HandledAccessFS, config.HandledAccessNet)
	}
	if err := config.BestEffort().Restrict(); err != nil {
		part.Active = false
		return part, fmt.Errorf("landlock: %w", err)
	}
	return part, nil
}

// RestrictsPorts reports whether the Landlock of the running kernel can restrict TCP ports.
func RestrictsPorts() bool {
	version, err := abi.LandlockGetABIVersion()
	return err == nil && version >= portABI
}

// Kernel reports what the Landlock of the running kernel can restrict. It restricts nothing itself.
func Kernel() toolscript.Confinement {
	part := toolscript.Confinement{Name: landlockName}
	version, err := abi.LandlockGetABIVersion()
	if err != nil || version < 1 {
		part.Detail = "this kernel has no Landlock, or it is not enabled; Linux 5.13 and newer have it"
		return part
	}
	part.Active, part.Detail = true, describe(version, version >= scopeABI && signalsWithinProcess())
	return part
}

// signalErratum is the bit of the kernel fix that lets threads of one process signal each
// other even if each thread was restricted separately. Go's scheduler needs this.
const signalErratum = 1 << 1

func signalsWithinProcess() bool {
	fixed, err := abi.LandlockGetErrata()
	return err == nil && fixed&signalErratum != 0
}
