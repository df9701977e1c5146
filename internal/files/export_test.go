package files

// TidyNow exports tidy: it removes the files that killed writers have left in a folder.
var TidyNow = tidy
