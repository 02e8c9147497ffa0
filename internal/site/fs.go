package site

import "io"

// FS is a folder with all below it. Names are relative to it, with slashes, and never lead out of it. Errors wrap those of io/fs.
// Each call is one step: between any two of them the process may be killed.
type FS interface {
	// Read returns the content of a file, or an error when it has more than limit bytes.
	Read(name string, limit int64) ([]byte, error)
	// List returns what is in a folder, sorted by name; "." is the folder itself.
	List(folder string) ([]Entry, error)
	// MakeFolder makes a folder in one that exists; one that is there is no error.
	MakeFolder(name string) error
	// Create begins a file that takes the place of name when it is committed.
	Create(name string) (Pending, error)
	// Rename moves a file or folder; a file in its place is replaced.
	Rename(from, to string) error
	// Remove removes a file or an empty folder.
	Remove(name string) error
	// Sync makes what was created, renamed and removed in a folder survive a power failure.
	Sync(folder string) error
}

// Pending is a file under a temporary name: a dot, the final name and digits, in the same folder.
type Pending interface {
	io.Writer
	// Commit syncs the content and gives the file its name.
	Commit() error
	// Abort gives the file up; after Commit it does nothing.
	Abort()
}

// Entry is one file or folder.
type Entry struct {
	Name   string
	Folder bool
	Size   int64 // [bytes] of a file
}
