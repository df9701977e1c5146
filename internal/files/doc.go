// Package files reads and writes files that several processes of a user share.
//
// A file is replaced in one step, so that a reader sees either the old or the new content, even if
// the writer is killed. Temporary files of killed writers are removed by later writers. Other
// functions open the files that a project's configuration names (Folder), open bbolt files
// (UseDatabase), create and check files and folders that only the user can read (PrivateDir), keep
// texts in the keyring of the desktop (KeyringGet), and find the executable file of this process
// (Own).
package files
