//go:build !linux

package confine

// RestrictThread returns ErrNoLandlock: only Linux has Landlock.
func RestrictThread(LandlockAccess) error { return ErrNoLandlock }
