package sharing

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/toolscript/toolscript/cmd/config/private"
	"github.com/toolscript/toolscript/cmd/discovery"
)

// fileOfHub matches the names of the files of a Place, and of what sharedfile.Write leaves
// when it is killed. The groups are Place.name and the ending.
var fileOfHub = regexp.MustCompile(`^\.?(hub-[0-9a-f]{8})(\.json|\.sock|\.lock|\.start|\.json\.[0-9]+\.tmp)$`)

// Prune removes the files of hubs that have ended from a runtime folder, and returns their
// paths. The files of a hub stay while it runs, starts or ends, and after a kill until its
// servers have ended.
func Prune(folder discovery.Folder) (removed []string, err error) {
	if private.Check(string(folder)) != nil {
		return nil, nil //nolint:nilerr // there is no folder, or discovery reports the error
	}
	files, err := os.ReadDir(string(folder))
	if err != nil {
		return nil, fmt.Errorf("runtime folder: %w", err)
	}
	left := map[string][]string{} // names of files by Place.name
	for _, file := range files {
		if m := fileOfHub.FindStringSubmatch(file.Name()); m != nil {
			left[m[1]] = append(left[m[1]], file.Name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		paths, failed := Place{string(folder), name}.prune(left[name])
		removed, err = append(removed, paths...), errors.Join(err, failed)
	}
	return removed, err
}

// prune removes files of the place if it can take both of its locks: then no hub runs, and
// no gateway starts one.
func (p Place) prune(files []string) (removed []string, err error) {
	locks := []string{startLock, runLock}
	for _, ending := range locks {
		held, err := p.tryLock(ending)
		if errors.Is(err, errLocked) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("files of a hub that has ended: %w", err)
		}
		defer held.release()
	}
	for _, file := range files {
		if ending := filepath.Ext(file); slices.Contains(locks, ending) {
			continue
		}
		path := filepath.Join(p.folder, file)
		if failed := os.Remove(path); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed = append(removed, path)
	}
	for _, ending := range locks { // after the files that they protect
		// On Windows they stay, because an open file cannot be removed.
		if os.Remove(p.path(ending)) == nil && slices.Contains(files, p.name+ending) {
			removed = append(removed, p.path(ending))
		}
	}
	return removed, err
}
