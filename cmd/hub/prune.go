package hub

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/toolscript/toolscript/cmd/discovery"
	"github.com/toolscript/toolscript/internal/files"
)

// fileOfHub matches the names of the files of a Place, and of files that files.Write
// leaves when it is killed. The groups are Place.name and the ending.
var fileOfHub = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.?(hub-[0-9a-f]{8})(\.json|\.sock|\.lock|\.start|\.json\.[0-9]+\.tmp)$`)
})

// Prune removes the files of ended hubs from the folders in which commands look, and
// returns their paths. The files of a hub stay while it starts, runs or ends, and after a
// kill until its servers have ended.
func Prune(places discovery.Places) (removed []string, err error) {
	left := map[string][]string{} // paths of files by Place.name
	for _, folder := range places.Folders() {
		if files.CheckPrivateDir(folder) != nil {
			continue // there is no folder, or discovery reports the error
		}
		files, failed := os.ReadDir(folder)
		if failed != nil {
			err = errors.Join(err, fmt.Errorf("runtime folder: %w", failed))
		}
		for _, file := range files {
			if m := fileOfHub().FindStringSubmatch(file.Name()); m != nil {
				left[m[1]] = append(left[m[1]], filepath.Join(folder, file.Name()))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		paths, failed := Place{folders: places.Folders(), name: name}.prune(left[name])
		removed, err = append(removed, paths...), errors.Join(err, failed)
	}
	return removed, err
}

// prune removes files of the place if it can take the locks in all of their folders: then
// no hub runs, and no gateway starts one. It also reads the entry, because the lock may be
// in another folder, named by TOOLSCRIPT_RUNTIME_DIR.
func (p Place) prune(files []string) (removed []string, err error) {
	locks := []string{startLock, runLock}
	var held []string // the locked files
	for _, file := range files {
		for _, ending := range locks {
			path := p.path(filepath.Dir(file), ending)
			if slices.Contains(held, path) {
				continue
			}
			l, err := p.tryLockIn(filepath.Dir(file), ending)
			if errors.Is(err, errLocked) {
				return nil, nil
			}
			if err != nil {
				return nil, fmt.Errorf("files of a hub that has ended: %w", err)
			}
			defer l.release()
			held = append(held, path)
		}
	}
	if _, running, _ := p.Read(); running {
		return nil, nil
	}
	for _, file := range files {
		if slices.Contains(locks, filepath.Ext(file)) {
			continue
		}
		if failed := os.Remove(file); failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		removed = append(removed, file)
	}
	for _, path := range held { // after the files that the locks protect
		// On Windows the locks stay, because an open file cannot be removed.
		if os.Remove(path) == nil && slices.Contains(files, path) {
			removed = append(removed, path)
		}
	}
	return removed, err
}
