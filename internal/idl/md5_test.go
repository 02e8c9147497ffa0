package idl

import (
	"os"
	"testing"
)

// loadInterfaces reads the definitions of this repository.
func loadInterfaces(t testing.TB) *Tree {
	t.Helper()
	tree, err := LoadTree(os.DirFS("../../interfaces"), "interfaces")
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestMD5KnownAnswers compares with the sums that ROS 1 (Noetic) prints for its own definitions.
func TestMD5KnownAnswers(t *testing.T) {
	tree := loadInterfaces(t)
	messages := []struct{ name, want string }{
		{"std_msgs/Header", "2176decaecbce78abc3b96ef049fabed"},
		{"geometry_msgs/Twist", "9f195f881246fdfa2798d1d3eebca84a"},
		{"nav_msgs/OccupancyGrid", "3381f2d731d4076ec5c71b0759edbe4e"},
		{"sensor_msgs/LaserScan", "90c7ef2dc6895d81024acba2ac42f369"},
		{"nav_msgs/Odometry", "cd5e73d190d741a2f92e81eda573aca7"},
		{"nav_msgs/Path", "6227e2b7e9cce15051f669a5e197bbf7"},
		{"sensor_msgs/PointCloud2", "1158d486dd51d683ce2f1be655c3c181"},
		{"sensor_msgs/Imu", "6a62c6daae103f4ff57a132d6f95cec2"},
		{"sensor_msgs/BatteryState", "4ddae7f048e32fda22cac764685e3974"},
		{"tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec"},

		{"rosgraph_msgs/Log", "acffd30cd6b6de30f120938c17c593fb"},
		{"std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"},
		{"std_msgs/Float32", "73fcbf46b49191e672908e50842a83d4"},
		{"sensor_msgs/JointState", "3066dcd76a6cfaef579bd0f34173e9fd"},
		{"sensor_msgs/CompressedImage", "8f7a12909da2c9d3332d540a0977563f"},
		{"sensor_msgs/CameraInfo", "c9a58c1b0b154e0e6da7578cb991d214"},
		{"sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743"},
		{"geometry_msgs/PoseStamped", "d3812c3cbc69362b77dc0b19b345f8f5"},
		{"geometry_msgs/PoseWithCovarianceStamped", "953b798c0f514ff060a53a3498ce6246"},
		{"visualization_msgs/MarkerArray", "d155b9ce5188fbaf89745847fd5882d7"},
		{"diagnostic_msgs/DiagnosticArray", "60810da900de1dd6ddd437c3503511da"},
	}
	for _, test := range messages {
		d, ok := tree.ROS1.Lookup(test.name)
		if !ok {
			t.Errorf("%s is not defined", test.name)
			continue
		}
		if got := tree.ROS1.MD5(d); got != test.want {
			t.Errorf("md5 of %s = %s, want %s; it covers\n%s", test.name, got, test.want, tree.ROS1.md5Text(d, map[*Definition]string{}))
		}
	}
	services := []struct{ name, want string }{
		{"std_srvs/Trigger", "937c9679a518e3a18d831e57125ea522"},
		{"std_srvs/Empty", "d41d8cd98f00b204e9800998ecf8427e"},
		{"std_srvs/SetBool", "09fb03525b03e7ea1fd3992bafd87e16"},
	}
	for _, test := range services {
		request, _ := tree.ROS1.Lookup(test.name + "_Request")
		response, ok := tree.ROS1.Lookup(test.name + "_Response")
		if !ok {
			t.Errorf("%s is not defined", test.name)
			continue
		}
		if got := tree.ROS1.MD5(request, response); got != test.want {
			t.Errorf("md5 of %s = %s, want %s", test.name, got, test.want)
		}
	}
}

// TestMD5Text checks the rule itself on a text that has everything.
func TestMD5Text(t *testing.T) {
	const text = `# doc
Inner[4] many   # nested types lose the array suffix
int8 [bad`
	_, err := Parse(Source{Dialect: ROS1, Package: "p", Kind: "msg", Name: "Outer", Path: "Outer.msg", Text: text})
	if err == nil {
		t.Fatal("a type with a space was accepted")
	}
	set, outer, err := ParseFullText(ROS1, "p/Outer", `# doc
Inner[4] many   # nested types lose the array suffix
uint8  A = 0x01  # comment
float64[3]   xyz
string TEXT=  say "hi" # all of this
time[] stamps
`+DefinitionSeparator+"p/Inner\nbool b # c\n")
	if err != nil {
		t.Fatal(err)
	}
	inner := md5Hex("bool b")
	want := "uint8 A=0x01\nstring TEXT=say \"hi\" # all of this\n" + inner + " many\nfloat64[3] xyz\ntime[] stamps"
	if got := set.md5Text(outer, map[*Definition]string{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
