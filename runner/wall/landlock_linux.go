package wall

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	abi "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"github.com/toolscript/toolscript"
)

// Landlock takes everything from this process that Landlock of the running
// kernel knows and a does not leave to it. Descriptors that are open stay usable.
//
// It is no wall against the network: before ABI 10 it holds TCP alone, and not
// the multipath TCP that net.Listen uses.
func Landlock(a Access) (toolscript.WallPart, error) {
	part := toolscript.WallPart{Name: LandlockName}
	version, err := abi.LandlockGetABIVersion()
	if err != nil || version < 1 {
		part.Detail = "this kernel has no Landlock, or it is not enabled; Linux 5.13 and newer have it"
		return part, nil
	}
	rules, err := a.rules()
	if err != nil {
		return part, err
	}
	config := landlock.V11
	signals := version >= scopeABI && signalsWithinProcess()
	if !signals {
		config = landlock.MustConfig(config.HandledAccessFS, config.HandledAccessNet)
	}
	if err := config.BestEffort().Restrict(rules...); err != nil {
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

// rules are a in Landlock's words. A rule for files may not name a folder and
// the other way round.
func (a Access) rules() ([]landlock.Rule, error) {
	var rules []landlock.Rule
	for _, path := range a.Read {
		rule, err := ruleFor(path, landlock.ROFiles, landlock.RODirs)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	for _, path := range a.Write {
		rule, err := ruleFor(path, landlock.RWFiles, landlock.RWDirs)
		if err != nil {
			return nil, err
		}
		rules = append(rules, rule)
	}
	for _, port := range a.Connect {
		rules = append(rules, landlock.ConnectTCP(port))
	}
	return rules, nil
}

func ruleFor(path string, files, dirs func(...string) landlock.FSRule) (landlock.Rule, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return files(path).IgnoreIfMissing(), nil
	case err != nil:
		return nil, fmt.Errorf("landlock: %w", err)
	case info.IsDir():
		return dirs(path), nil
	default:
		return files(path), nil
	}
}
