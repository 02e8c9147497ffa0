package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sarathi/internal/app"
	"sarathi/internal/profile"
	"sarathi/internal/site"
)

// sarathi runs one command line with an input, and returns what it printed and its exit code.
func sarathi(t *testing.T, e env, input, line string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	e.stdin, e.stdout, e.stderr = strings.NewReader(input), &out, &errs
	code = run(t.Context(), e, words(line)[1:])
	return out.String(), errs.String(), code
}

// expect runs a command that succeeds and prints a text among others.
func expect(t *testing.T, e env, line, want string) string {
	t.Helper()
	stdout, stderr, code := sarathi(t, e, "", line)
	if code != exitDone || !strings.Contains(stdout, want) {
		t.Errorf("%s: exit code %d\n%s%swant %q", line, code, stdout, stderr, want)
	}
	return stdout
}

func TestSitesTravel(t *testing.T) {
	e := testEnv(t)
	home := e.home
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir()) // where archives are written
	expect(t, e, "sarathi site import "+testdata+"/maps/plan.yaml --as hall", "site hall is there")
	expect(t, e, "sarathi site show hall", "6 free, 3 occupied, 3 unknown")
	own := testdata + "/sites/museum/map.yaml"
	expect(t, e, "sarathi site import "+own+" --as nav2", "note: 6 cells of grey 205, which map savers write for unknown, are free by the thresholds")
	expect(t, e, "sarathi site show nav2", "144 free, 56 occupied, 0 unknown")
	expect(t, e, "sarathi site import "+own+" --as nav2 --rule site --replace", "the rule of sites: 138 free, 56 occupied, 6 unknown")
	expect(t, e, "sarathi site show nav2", "138 free, 56 occupied, 6 unknown")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(home, ".molly"), 0o700),
		os.WriteFile(filepath.Join(home, ".molly", "site"), []byte("hall\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	expect(t, e, "sarathi site list", "hall  4 × 3    0     0      0     0       active")
	expect(t, e, "sarathi site check", "hall: ok")
	expect(t, e, "sarathi site export museum --dir "+testdata+"/sites", "site museum is in museum.tar")
	expect(t, e, "sarathi site import museum.tar", "site museum is there")
	expect(t, e, "sarathi site show museum", "vase   Ming vase  4.00")
	archive, stderr, code := sarathi(t, e, "", "sarathi site export museum -o -")
	if code != exitDone {
		t.Fatal(stderr)
	}
	if stdout, stderr, code := sarathi(t, e, archive, "sarathi site import - --as copy"); code != exitDone || !strings.Contains(stdout, "site copy is there") {
		t.Errorf("exit code %d, %s%s", code, stdout, stderr)
	}
	if _, stderr, code := sarathi(t, e, "", "sarathi site import museum.tar"); code != exitUsage || !strings.Contains(stderr, "there is a site museum already") {
		t.Errorf("over one that is there: exit code %d, %s", code, stderr)
	}
	expect(t, e, "sarathi site import museum.tar --replace", "what the site had is in museum/backup-20260102_030405")
	expect(t, e, "sarathi site show museum", "backup: museum/backup-20260102_030405")
	if err := os.WriteFile(filepath.Join(home, ".molly", "site"), []byte("gone\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if stdout, _, code := sarathi(t, e, "", "sarathi site check"); code != exitFailed || !strings.Contains(stdout, "fault: the active site gone is gone") {
		t.Errorf("exit code %d, %s", code, stdout)
	}
	expect(t, e, "sarathi site check museum", "museum: ok")
}

func TestSitesAreRepaired(t *testing.T) {
	e := testEnv(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/sites")); err != nil {
		t.Fatal(err)
	}
	robot, err := site.OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Use(); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sarathi site check --repair --dir " + dir, "sarathi site import x.tar --dir " + dir} {
		if _, stderr, code := sarathi(t, e, "", line); code != exitUsage || !strings.Contains(stderr, "is using it: stop that first") {
			t.Errorf("%s under a robot: exit code %d, %s", line, code, stderr)
		}
	}
	if err := robot.Close(); err != nil {
		t.Fatal(err)
	}
	stdout := expect(t, e, "sarathi site check --repair --dir "+dir, "repaired: broken/pois.json:3: unexpected end of JSON input")
	for _, want := range []string{
		"repaired: broken/map.yaml was not as a robot writes it: 2 cells are neither 0, 254 nor 205",
		"note: broken/pois.json.damaged-20260102_030405 was damaged", "museum: ok",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("printed\n%swant %q", stdout, want)
		}
	}
	again := expect(t, e, "sarathi site check --repair --dir "+dir+" --json", `"repaired": []`)
	if !strings.Contains(again, `"ok": true`) {
		t.Errorf("a second repair: %s", again)
	}
}

func TestRunMapsFromTheStart(t *testing.T) {
	e := testEnv(t)
	for line, want := range map[string]struct {
		site  string
		reset bool
	}{
		"sarathi run":                                  {},
		"sarathi run --map hall":                       {"hall", false},
		"sarathi run --map hall --reset":               {"hall", true},
		"sarathi run --set site_manager.map=hall":      {"hall", false},
		"sarathi run --map a --set site_manager.map=b": {"a", false},
	} {
		e.runRobot = func(_ context.Context, p *profile.Profile, _ app.RunOptions) error {
			if p.SiteManager.Map != want.site || p.SiteManager.Reset != want.reset {
				t.Errorf("%s: maps %q, reset %v", line, p.SiteManager.Map, p.SiteManager.Reset)
			}
			return nil
		}
		expect(t, e, line, "stopped")
	}
}

func TestMapIsDrawn(t *testing.T) {
	e := testEnv(t)
	file := filepath.Join(t.TempDir(), "plan.png")
	for rule, unknown := range map[string]uint8{"nav2": 254, "site": 205} {
		expect(t, e, "sarathi map info testdata/sites/museum/map.yaml --rule "+rule+" --png "+file, "RULE")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		grey, ok := img.(*image.Gray)
		if !ok || grey.Bounds().Size() != image.Pt(20, 10) || grey.GrayAt(0, 0).Y != 0 || grey.GrayAt(5, 5).Y != 254 || grey.GrayAt(17, 1).Y != unknown {
			t.Errorf("rule %s: %T %v, %v", rule, img, img.Bounds(), grey.GrayAt(17, 1))
		}
	}
}
