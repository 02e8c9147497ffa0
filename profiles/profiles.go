// Package profiles holds the built-in robot profiles, one YAML file each.
package profiles

import "embed"

// Files holds the profiles by file name.
//
//go:embed *.yaml
var Files embed.FS
