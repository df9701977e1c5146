//go:build !windows

package config

// dataFolder returns the data folder of a user who has named none.
func (o Options) dataFolder() string { return "~/.toolscript" }
