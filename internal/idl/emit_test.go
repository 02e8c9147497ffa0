package idl_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"sarathi/internal/idl"
)

var update = flag.Bool("update", false, "rewrite the golden files of the emitter")

const golden = "testdata/golden"

func emitDemo(t *testing.T) []idl.File {
	t.Helper()
	tree, err := idl.LoadTree(os.DirFS("testdata/interfaces"), "interfaces")
	if err != nil {
		t.Fatal(err)
	}
	files, err := idl.Emit(tree, "sarathi/internal/idl/"+golden)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestEmitGolden compares the generated code with golden files. The golden packages are compiled into demo_test.go.
func TestEmitGolden(t *testing.T) {
	files := emitDemo(t)
	if *update {
		if err := os.RemoveAll(golden); err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			path := filepath.Join(golden, f.Path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got, want []string
	for _, f := range files {
		got = append(got, f.Path)
		data, err := os.ReadFile(filepath.Join(golden, f.Path))
		if err != nil {
			t.Errorf("%v: run go test -run Golden -update", err)
			continue
		}
		if diff := cmp.Diff(string(data), string(f.Data)); diff != "" {
			t.Errorf("%s differs from its golden file (-golden +generated):\n%s", f.Path, diff)
		}
	}
	err := filepath.WalkDir(golden, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			want = append(want, strings.TrimPrefix(filepath.ToSlash(path), golden+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-golden +generated):\n%s", diff)
	}
}

func TestEmitIsReproducible(t *testing.T) {
	if diff := cmp.Diff(emitDemo(t), emitDemo(t)); diff != "" {
		t.Error(diff)
	}
}

func TestLoadTreeAndEmitErrors(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	tests := []struct {
		name string
		fs   fstest.MapFS
		want string
	}{
		{"malformed", fstest.MapFS{"p/msg/A.msg": file("int8 a\nint3 b\n")}, "defs/p/msg/A.msg:2: unknown type"},
		{"malformed ros1", fstest.MapFS{"p/msg/A.msg": file("int8 a\n"), "p/ros1/A.msg": file("int8 a 3\n")}, "defs/p/ros1/A.msg:1: default of a"},
		{"wrong folder", fstest.MapFS{"p/srv/A.msg": file("int8 a\n")}, "defs/p/srv/A.msg: unexpected file"},
		{"wrong extension", fstest.MapFS{"p/msg/A.txt": file("int8 a\n")}, "defs/p/msg/A.txt: unexpected file"},
		{"lonely ros1", fstest.MapFS{"p/ros1/A.msg": file("int8 a\n")}, "defs/p/ros1/A.msg: ROS 1 flavour of a type that does not exist"},
		{"missing type", fstest.MapFS{"p/msg/A.msg": file("\nB b\n")}, "defs/p/msg/A.msg:2: field b has unknown type p/B"},
		{"cycle", fstest.MapFS{"p/msg/A.msg": file("B b\n"), "p/msg/B.msg": file("A a\n")}, "holds itself"},
		{"ros1 of other type", fstest.MapFS{"p/msg/A.msg": file("int8 a\n"), "p/ros1/A.msg": file("# x\nint16 A\n")}, "defs/p/ros1/A.msg:2: field A is int16"},
		{"fields equal in Go", fstest.MapFS{"p/msg/A.msg": file("int8 a_b\nint8 aB\n")}, "defs/p/msg/A.msg:2: field aB and field a_b"},
		{
			"constant equal to a type",
			fstest.MapFS{"p/msg/Goal.msg": file("int8 STATUS=1\n"), "p/msg/GoalStatus.msg": file("int8 a\n")},
			"defs/p/msg/GoalStatus.msg: type GoalStatus and constant Goal.STATUS",
		},
		{"types equal in Go", fstest.MapFS{"p/msg/AbC.msg": file("int8 a\n"), "p/msg/Ab_C.msg": file("int8 a\n")}, "are both"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tree, err := idl.LoadTree(test.fs, "defs")
			if err == nil {
				_, err = idl.Emit(tree, "sarathi/msg")
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestGoNames(t *testing.T) {
	tests := []struct{ got, want string }{
		{idl.GoPackage("geometry_msgs"), "geometry"},
		{idl.GoPackage("std_srvs"), "stdsrvs"},
		{idl.GoPackage("builtin_interfaces"), "builtin"},
		{idl.GoPackage("tf2_msgs"), "tf2"},
		{idl.GoName("frame_id"), "FrameID"},
		{idl.GoName("POWER_SUPPLY_STATUS_NOT_CHARGING"), "PowerSupplyStatusNotCharging"},
		{idl.GoName("cpu_load"), "CPULoad"},
		{idl.GoName("x"), "X"},
		{idl.GoName("D"), "D"},
		{idl.GoName("setJoints"), "SetJoints"},
		{idl.GoType("Trigger_Request"), "TriggerRequest"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("got %s, want %s", test.got, test.want)
		}
	}
}
