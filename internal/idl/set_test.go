package idl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FullText of a definition must read back as the same set: this is what recordings and clients do with it.
func TestFullTextReadsBack(t *testing.T) {
	tree := loadInterfaces(t)
	for _, set := range []*Set{tree.ROS2, tree.ROS1} {
		for _, name := range sortedKeys(set.defs) {
			d := set.defs[name]
			back, first, err := ParseFullText(d.Dialect, name, set.FullText(d))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, want := back.MD5(first), set.MD5(d); got != want {
				t.Errorf("%s: md5 %s after reading back, was %s", name, got, want)
			}
		}
	}
}

func TestFullTextOrder(t *testing.T) {
	tree := loadInterfaces(t)
	d, _ := tree.ROS1.Lookup("geometry_msgs/PoseStamped")
	var names []string
	for _, dep := range tree.ROS1.Dependencies(d) {
		names = append(names, dep.FullName())
	}
	want := []string{"std_msgs/Header", "geometry_msgs/Pose", "geometry_msgs/Point", "geometry_msgs/Quaternion"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	text := tree.ROS1.FullText(d)
	if !strings.Contains(text, "\n"+strings.Repeat("=", 80)+"\nMSG: geometry_msgs/Pose\n") {
		t.Errorf("no separator in\n%s", text)
	}
}

func TestParseFullTextErrors(t *testing.T) {
	deep := func(n int) string {
		text := "T1 a\n"
		for i := 1; i <= n; i++ {
			text += fmt.Sprintf("%sp/T%d\nT%d a\n", DefinitionSeparator, i, i+1)
		}
		return text + fmt.Sprintf("%sp/T%d\nint8 a\n", DefinitionSeparator, n+1)
	}
	tests := []struct{ name, typ, text, want string }{
		{"bad name", "Twist", "int8 a", "write package/Type"},
		{"missing dependency", "p/A", "B b", "p/A:1: field b has unknown type p/B"},
		{"cycle", "p/A", "B b" + DefinitionSeparator + "p/B\nA a", "holds itself"},
		{"self", "p/A", "A a", "holds itself"},
		{"twice", "p/A", "int8 a" + DefinitionSeparator + "p/A\nint8 b", "already defined"},
		{"no MSG line", "p/A", "int8 a\n" + strings.Repeat("=", 80) + "\nint8 b", "does not begin with"},
		{"fault in dependency", "p/A", "B b" + DefinitionSeparator + "p/B\n\nint3 a", "p/B:2: unknown type"},
		{"too deep", "p/T0", deep(maxDepth), "nest deeper"},
		{"too many", "p/A", "int8 a" + strings.Repeat(DefinitionSeparator+"p/B\n", maxDefinitions+1), "more than 512 definitions"},
		{"too long", "p/A", strings.Repeat("#\n", maxText), "longer than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ParseFullText(ROS2, test.typ, test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
		})
	}
	if _, _, err := ParseFullText(ROS2, "p/msg/T0", deep(maxDepth-1)); err != nil {
		t.Errorf("nesting at the limit: %v", err)
	}
}

func FuzzParseFullText(f *testing.F) {
	tree := loadInterfaces(f)
	for _, name := range []string{"nav_msgs/Odometry", "std_msgs/Header", "sensor_msgs/BatteryState", "std_srvs/Trigger_Response"} {
		d, _ := tree.ROS2.Lookup(name)
		f.Add(name, tree.ROS2.FullText(d))
		d, _ = tree.ROS1.Lookup(name)
		f.Add(name, tree.ROS1.FullText(d))
	}
	f.Add("p/A", "string<=5[<=3] s [\"a\", 'b']\nint8 X = -0x7f\n---\nA a\n"+DefinitionSeparator+"p/msg/B\n")
	f.Fuzz(func(t *testing.T, name, text string) {
		for _, dialect := range []Dialect{ROS1, ROS2} {
			set, d, err := ParseFullText(dialect, name, text)
			if err != nil {
				if len(err.Error()) > 16*(maxLine+200)*maxErrors {
					t.Errorf("error of %d bytes", len(err.Error()))
				}
				continue
			}
			back, again, err := ParseFullText(dialect, d.FullName(), set.FullText(d))
			if err != nil {
				t.Fatalf("its own full text does not parse: %v", err)
			}
			if back.MD5(again) != set.MD5(d) {
				t.Fatal("another md5 after reading back")
			}
			// What is legal ROS 2 has a legal ROS 1 flavour, field by field.
			if dialect == ROS2 {
				flavour, err := Parse(Source{
					Dialect: ROS1, Package: d.Package, Kind: "msg", Name: d.Name, Path: "derived", Text: DeriveROS1("p/X", d.Text),
				})
				if err != nil || len(flavour[0].Fields) != len(d.Fields) {
					t.Fatalf("derived ROS 1 flavour: %v\n%s", err, d.Text)
				}
			}
		}
	})
}
