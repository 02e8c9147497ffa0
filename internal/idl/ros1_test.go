package idl

import "testing"

func TestDeriveROS1(t *testing.T) {
	tests := []struct{ name, ros2, want string }{
		{"p/A", "# doc\n\nfloat64  x   # [m] c\n", "# doc\n\nfloat64  x   # [m] c\n"},
		{"p/A", "builtin_interfaces/Time stamp  # c\n", "time stamp  # c\n"},
		{"p/A", "builtin_interfaces/msg/Duration[] d\n", "duration[] d\n"},
		{"p/A", "float64 w 1   # c\n", "float64 w  # c\n"},
		{"p/A", "string s \"a # b\"\n", "string s\n"},
		{"p/A", "string<=5[<=3] s\n", "string[] s\n"},
		{"p/A", "wstring w\n", "string w\n"},
		{"p/A", "q/msg/B[<=3] b\n", "q/B[] b\n"},
		{"p/A", "string S = \"x y\" # c\n", "string S=x y\n"},
		{"p/A", "wstring S = 'x'\n", "string S=x\n"},
		{"p/A", "uint8 C = 0x01 # c\n", "uint8 C = 0x01 # c\n"},
		{"p/A", "int8 a\n---\nint8 b 3\n", "int8 a\n---\nint8 b\n"},
		{"p/A", "line-without-name\n", "line-without-name\n"},
		{
			"std_msgs/Header", "# doc\n\nbuiltin_interfaces/Time stamp\nstring frame_id\n",
			"# doc\n\nuint32 seq  # consecutive number of the message\ntime stamp\nstring frame_id\n",
		},
	}
	for _, test := range tests {
		if got := DeriveROS1(test.name, test.ros2); got != test.want {
			t.Errorf("DeriveROS1(%q) = %q, want %q", test.ros2, got, test.want)
		}
	}
}

// TestDerivedFlavoursParse checks that everything derived is legal ROS 1.
func TestDerivedFlavoursParse(t *testing.T) {
	for _, i := range loadInterfaces(t).Interfaces {
		for n, d := range i.ROS1 {
			if d.Dialect != ROS1 || len(d.Constants) > len(i.ROS2[n].Constants) {
				t.Errorf("%s: ROS 1 flavour has %d constants of %d", d.FullName(), len(d.Constants), len(i.ROS2[n].Constants))
			}
		}
	}
}
