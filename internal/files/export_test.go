package files

// TidyNow removes what killed writers have left in a folder.
var TidyNow = tidy
