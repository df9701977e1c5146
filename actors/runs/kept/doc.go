// Package kept stores data of runs in files that only the user can read. Outputs has the output and values of
// scripts that exceed their limits. Events has the events of detached runs, which go on after their client has left.
// Recordings has recorded runs, whose scripts can run again without servers. Each store is bounded and removes the
// oldest files.
package kept
