package main

import (
	"bytes"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

func TestPlanDrawsThePath(t *testing.T) {
	file := filepath.Join(t.TempDir(), "path.png")
	e := testEnv(t)
	var stdout, stderr bytes.Buffer
	e.stdout, e.stderr = &stdout, &stderr
	args := []string{"plan", "path", "--map", "testdata/plan/room.yaml", "--from", "0,0", "--to", "4,0", "--png", file}
	if code := run(t.Context(), e, args); code != exitDone {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if size := img.Bounds().Size(); size.X != 60 || size.Y != 40 {
		t.Errorf("the picture has %v pixels", size)
	}
	count := map[color.Color]int{}
	for y := range 40 {
		for x := range 60 {
			count[img.At(x, y)]++
		}
	}
	p := picturePalette()
	if count[p[pathColor]] < 30 || count[p[startColor]] != 25 || count[p[goalColor]] != 25 || count[p[wallColor]] != 201 { // as many as the image has
		t.Errorf("path %d, start %d, goal %d, walls %d", count[p[pathColor]], count[p[startColor]], count[p[goalColor]], count[p[wallColor]])
	}
	// The top of the picture is the largest y: the wall across hangs from there.
	if img.At(30, 5) != p[wallColor] || img.At(30, 35) == p[wallColor] {
		t.Error("the picture stands on its head")
	}
}
