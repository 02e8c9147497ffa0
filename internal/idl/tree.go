package idl

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"
)

// Interface is one definition file in both flavours.
type Interface struct {
	Package string
	Kind    string // "msg", "srv" or "action"
	Name    string
	Path    string        // of the ROS 2 file, relative to the tree's parent: "interfaces/std_msgs/msg/Header.msg"
	ROS2    []*Definition // its sections
	ROS1    []*Definition // the same sections in the ROS 1 flavour
}

// Tree is everything below interfaces/.
type Tree struct {
	Interfaces []Interface // sorted by package, kind and name
	ROS2, ROS1 *Set
}

// LoadTree reads <package>/{msg,srv,action}/Name.{msg,srv,action} below the root of fsys, and <package>/ros1/Name.* for ROS 1
// flavours that cannot be derived. Paths in errors and in the result begin with prefix.
func LoadTree(fsys fs.FS, prefix string) (*Tree, error) {
	t := &Tree{}
	var errs []error
	texts := map[string]string{}
	err := fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		kind := strings.TrimPrefix(path.Ext(name), ".")
		parts := strings.Split(name, "/")
		if path.Ext(name) == ".md" {
			return nil
		}
		if len(parts) != 3 || sectionSuffixes(kind) == nil || parts[1] != kind && parts[1] != "ros1" {
			errs = append(errs, &ParseError{Path: path.Join(prefix, name), What: "unexpected file: definitions are <package>/{msg,srv,action}/Name.{msg,srv,action} or <package>/ros1/Name.*"})
			return nil
		}
		data, err := fs.ReadFile(fsys, name)
		texts[name] = string(data)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read definitions below %s: %w", prefix, err)
	}
	used := map[string]bool{}
	for _, name := range sortedKeys(texts) {
		parts := strings.Split(name, "/")
		if parts[1] == "ros1" {
			continue
		}
		iface, err := loadInterface(texts, name, prefix, used)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		t.Interfaces = append(t.Interfaces, iface)
	}
	for _, name := range sortedKeys(texts) {
		if strings.Split(name, "/")[1] == "ros1" && !used[name] {
			errs = append(errs, &ParseError{Path: path.Join(prefix, name), What: "ROS 1 flavour of a type that does not exist: add the ROS 2 definition or remove the file"})
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return t, t.close()
}

// loadInterface parses one file and its ROS 1 flavour.
func loadInterface(texts map[string]string, name, prefix string, used map[string]bool) (Interface, error) {
	parts := strings.Split(name, "/")
	iface := Interface{
		Package: parts[0], Kind: parts[1], Name: strings.TrimSuffix(parts[2], path.Ext(parts[2])), Path: path.Join(prefix, name),
	}
	src := Source{Dialect: ROS2, Package: iface.Package, Kind: iface.Kind, Name: iface.Name, Path: iface.Path, Text: texts[name]}
	var err error
	if iface.ROS2, err = Parse(src); err != nil {
		return iface, err
	}
	src.Dialect = ROS1
	variant := path.Join(parts[0], "ros1", parts[2])
	if text, ok := texts[variant]; ok {
		used[variant] = true
		src.Text, src.Path = text, path.Join(prefix, variant)
	} else {
		src.Text = DeriveROS1(iface.Package+"/"+iface.Name, src.Text)
	}
	iface.ROS1, err = Parse(src)
	return iface, err
}

// close builds the sets of both flavours.
func (t *Tree) close() error {
	var ros2, ros1 []*Definition
	for _, i := range t.Interfaces {
		ros2 = append(ros2, i.ROS2...)
		ros1 = append(ros1, i.ROS1...)
	}
	var err error
	if t.ROS2, err = NewSet(ros2); err != nil {
		return err
	}
	t.ROS1, err = NewSet(ros1)
	return err
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
