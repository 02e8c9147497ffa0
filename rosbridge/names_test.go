package rosbridge

import (
	"path"
	"strings"
	"testing"
)

func TestNamesAreResolved(t *testing.T) {
	for in, want := range map[string]string{
		"gold": "/gold", "/gold": "/gold", "a/b": "/a/b", "//a///b/": "/a/b", "/": "", "": "", "a b": "", "a\n": "", "é": "/é",
		strings.Repeat("x", maxName+1): "",
	} {
		if got := resolve(in); got != want {
			t.Errorf("%.20q is %q, want %q", in, got, want)
		}
	}
}

func TestTypeNamesInBothSpellings(t *testing.T) {
	for in, want := range map[string]string{
		"pkg/Type": "pkg/Type", "pkg/msg/Type": "pkg/Type", "pkg/srv/Type": "pkg/Type", "pkg/action/Type": "pkg/Type", "Type": "Type", "a/b/c": "a/b/c", "": "",
	} {
		if got := canonical(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	for _, test := range []struct {
		d          Dialect
		name, want string
	}{{ROS1, "pkg/Type", "pkg/Type"}, {ROS2, "pkg/Type", "pkg/msg/Type"}, {ROS2, "odd", "odd"}, {ROS2, "a/b/c", "a/b/c"}, {ROS2, "", ""}} {
		if got := test.d.spelled(test.name, "msg"); got != test.want {
			t.Errorf("%q is %q, want %q", test.name, got, test.want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, test := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "/a/b", true},
		{"/a/*", "/a/b/c", true},
		{"/a/*", "/b", false},
		{"/a?c", "/abc", true},
		{"/a?c", "/ac", false},
		{"", "", true},
		{"", "/a", false},
		{"*/cmd_vel", "/x/cmd_vel", true},
		{"*/cmd_vel", "/x/cmd_vel2", false},
		{"/*a*b*c", "/xaybzc", true},
		{"/*a*b*c", "/xaybz", false},
		{"**", "", true},
	} {
		if got := glob(test.pattern, test.name); got != test.want {
			t.Errorf("%q matches %q: %v", test.pattern, test.name, got)
		}
	}
	if !allowed(nil, "/a") || allowed([]string{}, "/a") || !allowed([]string{"/b", "/a"}, "/a") {
		t.Error("allow-lists")
	}
}

// FuzzGlob agrees with package path on names without slashes.
func FuzzGlob(f *testing.F) {
	f.Add("a*b?c", "axxbyc")
	f.Add("*a*a*a*a*a*a*a*b", strings.Repeat("a", 60))
	f.Fuzz(func(t *testing.T, pattern, name string) {
		got := glob(pattern, name)
		if len(pattern)+len(name) > 30 || strings.ContainsAny(pattern+name, `[]\/`) {
			return
		}
		for i := range len(pattern + name) {
			if (pattern + name)[i] >= 0x80 {
				return // path counts characters
			}
		}
		if want, err := path.Match(pattern, name); err == nil && got != want {
			t.Errorf("%q matches %q: %v", pattern, name, got)
		}
	})
}

func TestParametersAreSearchedOutward(t *testing.T) {
	set := map[string]bool{"/a/x": true, "/x": true, "/a/b/y": true}
	exists := func(name string) bool { return set[name] }
	for _, test := range []struct{ ns, name, want string }{
		{"/a/b", "x", "/a/x"}, {"/a/b", "y", "/a/b/y"}, {"/c", "x", "/x"}, {"", "x", "/x"}, {"/c", "y", ""}, {"/c", "/a/x", "/a/x"}, {"/c", "/y", ""},
	} {
		if got := search(test.ns, test.name, exists); got != test.want {
			t.Errorf("%s from %s: %q, want %q", test.name, test.ns, got, test.want)
		}
	}
}

func TestParameterStoreIsBounded(t *testing.T) {
	s := newParamStore(2 * (messageOverhead + 10))
	for range 3 { // the same again costs nothing
		if s.set("/a", []byte("12345678")) != nil || s.set("/b", []byte("12345678")) != nil {
			t.Fatal("full")
		}
	}
	if s.set("/c", []byte("1")) == nil || s.set("/a", []byte("123456789012")) == nil {
		t.Error("more than the bound was taken")
	}
	if !s.remove("/a") || s.remove("/a") || s.set("/c", []byte("1")) != nil {
		t.Error("what was removed still counts")
	}
}
