package files

// Tidy removes what killed writers have left in a folder.
var Tidy = tidy
