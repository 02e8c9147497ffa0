package posegraph

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sarathi/internal/geom"
)

// small is a graph with a gap in its nodes, an edge of every kernel, and one that is off.
func small(tb testing.TB) *Graph {
	tb.Helper()
	g := &Graph{}
	for i := range 6 {
		g.AddNode(geom.Pose2{X: float64(i) / 3, Y: -1e-9, Theta: 3})
	}
	r := rng(2)
	for i := range shapes {
		mustEdge(tb, g, Edge{
			From: NodeID(i), To: NodeID(i + 1), Z: geom.Pose2{X: 1.0 / 3, Theta: -3}, Info: randomInfo(r), Kernel: Kernel{Shape(i), 1.5 * float64(i)},
		})
	}
	g.Disable(2)
	g.RemoveNode(5)
	g.RemoveNode(0)
	return g
}

func sealed(body string) string {
	nodes, edges := strings.Count(body, "node "), strings.Count(body, "edge ")
	return body + fmt.Sprintf("end %d %d %08x\n", nodes, edges, crc32.ChecksumIEEE([]byte(body)))
}

func TestGraphFileRoundTrip(t *testing.T) {
	for _, g := range []*Graph{{}, small(t), manhattan(t, 1, 200, 50).Graph} {
		text := g.AppendText([]byte("before"))[len("before"):]
		got, rest, err := Parse(append(text, "after\n"...))
		if err != nil || string(rest) != "after\n" {
			t.Fatalf("%v; rest %q", err, rest)
		}
		if again := got.AppendText(nil); !bytes.Equal(again, text) {
			t.Errorf("read and written again:\n%s\nbefore:\n%s", again, text)
		}
		a, b := g.Optimize(Options{}), got.Optimize(Options{})
		if a.After-b.After > 1e-9 || b.After-a.After > 1e-9 || g.Len() != got.Len() || g.Edges() != got.Edges() {
			t.Errorf("optimised %+v, read again %+v", a, b)
		}
	}
}

// Mapping goes on from a file: new nodes get the ids of removed ones, edges to old nodes hold.
func TestContinueFromAFile(t *testing.T) {
	g, _, err := Parse(small(t).AppendText(nil))
	if err != nil {
		t.Fatal(err)
	}
	if id := g.AddNode(geom.Pose2{X: 1}); id != 0 {
		t.Errorf("the id 0 is free, but the node became %d", id)
	}
	mustEdge(t, g, Edge{From: 0, To: 1, Info: Diagonal(1, 1, 1)})
	if res := g.Optimize(Options{}); !res.Converged {
		t.Errorf("%+v", res)
	}
	if g.Enabled(1) || !g.Enabled(0) {
		t.Error("which edge is off was not kept")
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.sarathi")
	text := append(small(t).AppendText(nil), "more"...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	g, rest, err := Load(path)
	if err != nil || g.Len() != 4 || string(rest) != "more" {
		t.Errorf("%v, %q, %v", g, rest, err)
	}
	if _, _, err := Load(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, text[:40], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Load(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), path) {
		t.Errorf("truncated file: %v", err)
	}
}

// badGraphs are texts that are refused, by what the refusal says.
func badGraphs() [][2]string {
	const head = "sarathi-graph 1\n"
	two := head + "node 0 0 0 0\nnode 1 1 0 0\n"
	const z = " 1 0 0 1 0 0 1 0 1 "
	return [][2]string{
		{"", "line 1: not a valid graph file: the text ends"},
		{"P5\n", "does not begin with"},
		{"sarathi-graph one\n", "version"},
		{"sarathi-graph 2\n", "later version"},
		{head, "line 2: not a valid graph file: the text ends"},
		{head + "\n", "empty line"},
		{head + "vertex 1\n", "unknown item"},
		{head + "node 0 0 0\n", "three numbers"},
		{head + "node -1 0 0 0\n", "node id"},
		{head + "node 1048576 0 0 0\n", "node id"},
		{head + "node 0 0 zero 0\n", "no number"},
		{head + "node 0 0 NaN 0\n", "not finite"},
		{head + "node 1 0 0 0\nnode 1 0 0 0\n", "line 3"},
		{two + "edge 0 1\n", "14 fields"},
		{two + "edge 0 7" + z + "quadratic 0 on\n", "no such node"},
		{two + "edge 0 1 1 0 0 -1 0 0 1 0 1 quadratic 0 on\n", "semidefinite"},
		{two + "edge 0 1" + z + "hubert 1 on\n", "unknown kernel"},
		{two + "edge 0 1" + z + "huber 0 on\n", "width"},
		{two + "edge 0 1" + z + "huber 1 maybe\n", "on or off"},
		{two + "edge 0 1" + z + "huber 1 on\nnode 2 0 0 0\n", "after the edges"},
		{two + "end 2 0\n", "three fields"},
		{two + "end 3 0 00000000\n", "2 nodes"},
		{two + "end 2 0 00000000\n", "checksum"},
		{head + "node 0 " + strings.Repeat("0", 2000) + " 0 0\n", "too long"},
	}
}

func TestDamagedGraphsAreRefused(t *testing.T) {
	for _, tt := range badGraphs() {
		if _, _, err := Parse([]byte(tt[0])); err == nil || !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%.60q: %v, want %q", tt[0], err, tt[1])
		}
	}
	// Any bit that flips is found.
	text := small(t).AppendText(nil)
	for i := range text {
		text[i] ^= 1
		if _, _, err := Parse(text); err == nil {
			t.Errorf("byte %d changed and was not noticed", i)
		}
		text[i] ^= 1
	}
}

func FuzzParse(f *testing.F) {
	f.Add(small(f).AppendText(nil))
	f.Add([]byte(sealed("sarathi-graph 1\n")))
	f.Add([]byte(sealed("sarathi-graph 1\nnode 3 1e3 -2 7\nnode 9 1 1 1\nedge 9 3 1 1 1 0 0 0 0 0 0 cauchy 1 off\n")))
	for _, tt := range badGraphs() {
		f.Add([]byte(tt[0]))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, text := range [][]byte{body, []byte(sealed(string(body)))} { // a checksum is rarely hit by chance
			g, rest, err := Parse(text)
			if err != nil {
				if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
					t.Fatalf("untyped error %v", err)
				}
				continue
			}
			if !bytes.HasSuffix(text, rest) {
				t.Fatal("the rest is not the rest")
			}
			out := g.AppendText(nil)
			again, _, err := Parse(out)
			if err != nil || !bytes.Equal(again.AppendText(nil), out) {
				t.Fatalf("not stable: %v", err)
			}
			if g.Len() < 100 {
				g.Optimize(Options{Iterations: 3})
				for i := range g.NodeLimit() {
					if g.Has(i) && !g.Pose(i).IsFinite() {
						t.Fatalf("node %d is at %v", i, g.Pose(i))
					}
				}
			}
		}
	})
}
