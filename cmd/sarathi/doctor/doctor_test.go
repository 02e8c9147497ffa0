package doctor_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"sarathi/cmd/sarathi/doctor"
)

// healthy is a computer on which nothing is amiss, with its root in a temporary folder.
func healthy(t *testing.T) doctor.Host {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"usr/lib/x86_64-linux-gnu/libapriltag.so.3":  "",
		"sys/class/thermal/thermal_zone0/temp":       "41500\n",
		"sys/class/hwmon/hwmon0/temp1_input":         "52000\n",
		"sys/class/hwmon/hwmon0/temp2_input":         "nonsense\n",
		"sys/class/thermal/thermal_zone1/trip_point": "90000\n",
	} {
		write(t, filepath.Join(root, name), text)
	}
	return doctor.Host{
		Root:        root,
		LookPath:    func(program string) (string, error) { return "/usr/bin/" + program, nil },
		Listen:      func(context.Context, string, string) error { return nil },
		Synchronous: func() (bool, error) { return true, nil },
		Now:         time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		Built:       time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		CPUs:        4, Terminal: true, Term: "xterm",
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func find(t *testing.T, results []doctor.Result, name string) doctor.Result {
	t.Helper()
	for _, r := range results {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no result is called %q: %+v", name, results)
	return doctor.Result{}
}

func TestAHealthyComputer(t *testing.T) {
	dir := t.TempDir()
	results := doctor.Examine(context.Background(), healthy(t), doctor.Plan{
		Folders: []doctor.Folder{{"state.dir", dir}, {"sites.dir", filepath.Join(dir, "not", "yet")}},
		Ports:   []doctor.Port{{"rosbridge.port", "tcp", "127.0.0.1:9091"}},
	})
	for _, r := range results {
		if r.Status != doctor.OK || r.Remedy != "" || r.Detail == "" {
			t.Errorf("%+v, want ok with a detail", r)
		}
	}
	if len(results) != 10 || !doctor.Healthy(results) {
		t.Errorf("%d results, healthy %v", len(results), doctor.Healthy(results))
	}
	if got := find(t, results, "temperature").Detail; got != "2 sensors, 42 to 52 °C" {
		t.Errorf("temperature: %s", got)
	}
	if got := find(t, results, "sites.dir").Detail; !strings.HasSuffix(got, "not/yet, will be created") {
		t.Errorf("sites.dir: %s", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "not")); err == nil {
		t.Error("the examination created a folder")
	}
}

func TestWhatMayBeAmiss(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	inUse := func(context.Context, string, string) error {
		return &net.OpError{Op: "listen", Err: syscall.EADDRINUSE}
	}
	tests := []struct {
		name   string
		change func(*doctor.Host, *doctor.Plan)
		about  string
		status doctor.Status
		says   string // detail and remedy
	}{
		{"no ffmpeg", func(h *doctor.Host, _ *doctor.Plan) { h.LookPath = without("ffmpeg") }, "ffmpeg", doctor.Missing, "apt-get install ffmpeg"},
		{"no espeak", func(h *doctor.Host, _ *doctor.Plan) { h.LookPath = without("espeak-ng") }, "espeak-ng", doctor.Missing, "apt-get install espeak-ng"},
		{"no library", func(h *doctor.Host, _ *doctor.Plan) { h.Root = t.TempDir() }, "libapriltag", doctor.Missing, "apt-get install libapriltag3"},
		{"no sensors", func(h *doctor.Host, _ *doctor.Plan) { h.Root = t.TempDir() }, "temperature", doctor.Missing, "lm-sensors"},
		{"mute sensors", func(h *doctor.Host, _ *doctor.Plan) {
			h.Root = t.TempDir()
			write(t, filepath.Join(h.Root, "sys/class/thermal/thermal_zone0/temp"), "999999\n")
		}, "temperature", doctor.Broken, "none can be read"},
		{"old clock", func(h *doctor.Host, _ *doctor.Plan) { h.Now = time.Unix(0, 0) }, "clock", doctor.Broken, "1970-01-01 00:00"},
		{"no time server", func(h *doctor.Host, _ *doctor.Plan) {
			h.Synchronous = func() (bool, error) { return false, nil }
		}, "clock", doctor.Missing, "timedatectl set-ntp true"},
		{"clock cannot be asked", func(h *doctor.Host, _ *doctor.Plan) {
			h.Synchronous = func() (bool, error) { return false, syscall.EPERM }
		}, "clock", doctor.Missing, "operation not permitted"},
		{"one core", func(h *doctor.Host, _ *doctor.Plan) { h.CPUs = 1 }, "CPU cores", doctor.Missing, "2 cores"},
		{"no terminal", func(h *doctor.Host, _ *doctor.Plan) { h.Terminal = false }, "terminal", doctor.Missing, "ssh -t"},
		{"dumb terminal", func(h *doctor.Host, _ *doctor.Plan) { h.Term = "dumb" }, "terminal", doctor.Missing, "TERM="},
		{"folder is a file", func(_ *doctor.Host, p *doctor.Plan) {
			p.Folders = []doctor.Folder{{"state.dir", file}}
		}, "state.dir", doctor.Broken, "--set state.dir="},
		{"folder below a file", func(_ *doctor.Host, p *doctor.Plan) {
			p.Folders = []doctor.Folder{{"state.dir", filepath.Join(file, "below")}}
		}, "state.dir", doctor.Broken, "--set state.dir="},
		{"port in use", func(h *doctor.Host, p *doctor.Plan) {
			h.Listen, p.Ports = inUse, []doctor.Port{{"teleop.port", "udp", ":9870"}}
		}, "teleop.port", doctor.Broken, "--set teleop.port="},
		{"port in use by a robot", func(h *doctor.Host, p *doctor.Plan) {
			h.Listen, p.Running, p.Ports = inUse, true, []doctor.Port{{"teleop.port", "udp", ":9870"}}
		}, "teleop.port", doctor.OK, "a robot is running"},
		{"address of another machine", func(h *doctor.Host, p *doctor.Plan) {
			h.Listen = func(context.Context, string, string) error { return syscall.EADDRNOTAVAIL }
			p.Ports = []doctor.Port{{"teleop.port", "udp", "192.0.2.1:9870"}}
		}, "teleop.port", doctor.Broken, "choose another address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			host, plan := healthy(t), doctor.Plan{}
			tt.change(&host, &plan)
			results := doctor.Examine(context.Background(), host, plan)
			r := find(t, results, tt.about)
			if r.Status != tt.status || !strings.Contains(r.Detail+r.Remedy, tt.says) {
				t.Errorf("%+v, want %s and %q", r, tt.status, tt.says)
			}
			if (r.Remedy == "") != (r.Status == doctor.OK) {
				t.Errorf("%+v: a remedy belongs to what is not well", r)
			}
			if got, want := doctor.Healthy(results), tt.status != doctor.Broken; got != want {
				t.Errorf("healthy %v, want %v", got, want)
			}
		})
	}
}

func without(program string) func(string) (string, error) {
	return func(name string) (string, error) {
		if name == program {
			return "", exec.ErrNotFound
		}
		return "/usr/bin/" + name, nil
	}
}

func TestThisHostListens(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host := doctor.ThisHost(nil, time.Time{})
	if err := host.Listen(context.Background(), "tcp", l.Addr().String()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a port in use: %v", err)
	}
	for _, network := range []string{"tcp", "udp"} {
		if err := host.Listen(context.Background(), network, "127.0.0.1:0"); err != nil {
			t.Errorf("%s: %v", network, err)
		}
	}
	if err := host.Listen(context.Background(), "sctp", "127.0.0.1:0"); err == nil {
		t.Error("listened on sctp")
	}
	if host.CPUs < 1 || host.Terminal || host.Now.IsZero() {
		t.Errorf("this host: %+v", host)
	}
}
