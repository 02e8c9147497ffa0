package healthmonitor

import (
	"context"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// kernel makes a /sys from paths and what the files say.
func kernel(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func TestTemperatureAndGraphics(t *testing.T) {
	nan := math.NaN()
	const zone = "class/thermal/thermal_zone"
	tests := []struct {
		name      string
		files     map[string]string
		temp, gpu float64
		fault     string // part of the error
	}{
		{"no kernel files", nil, nan, nan, ""},
		{"hottest", map[string]string{zone + "0/temp": "41500\n", zone + "1/temp": "63250\n", zone + "2/temp": "50000\n"}, 63.25, nan, ""},
		{"frost", map[string]string{zone + "0/temp": "-5000\n"}, -5, nan, ""},
		{"placeholder of a jetson", map[string]string{
			zone + "0/temp": "41500\n", zone + "0/type": "CPU-therm\n", zone + "1/temp": "100000\n", zone + "1/type": "PMIC-Die\n",
		}, 41.5, nan, ""},
		{"one zone off", map[string]string{zone + "0/temp": "", zone + "1/temp": "40000\n"}, 40, nan, ""},
		{"not connected", map[string]string{zone + "0/temp": "-273200\n", zone + "1/temp": "40000\n", zone + "2/temp": "255000"}, 40, nan, ""},
		{"all off", map[string]string{zone + "0/temp": "warm\n"}, nan, nan, "read the temperature: class/thermal/thermal_zone0/temp"},
		{"orin", map[string]string{"class/devfreq/17000000.ga10b/device/load": "347\n", "class/devfreq/15340000.vic/device/load": "900\n"}, nan, 34.7, ""},
		{"orin, later kernel", map[string]string{"class/devfreq/17000000.gpu/device/load": "0\n"}, nan, 0, ""},
		{"older jetson", map[string]string{"devices/gpu.0/load": "1000\n"}, nan, 100, ""},
		{"too much", map[string]string{"devices/gpu.0/load": "1003\n"}, nan, 100, ""},
		{"broken graphics", map[string]string{zone + "0/temp": "40000", "devices/platform/gpu.0/load": "?"}, 40, nan, "read the load of the graphics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := NewSystemProbe(t.TempDir())
			p.sys = kernel(tt.files)
			s, err := p.Read(context.Background())
			if d := cmp.Diff([]float64{tt.temp, tt.gpu}, []float64{s.Temp, s.GPU}, cmpopts.EquateNaNs()); d != "" {
				t.Errorf("temperature, graphics (-want +got):\n%s", d)
			}
			if tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("error %v, want %q", err, tt.fault)
			}
		})
	}
}

func TestProcessorShare(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		name      string
		from, now cpuTime
		want      float64
	}{
		{"first reading", cpuTime{}, cpuTime{50, 100}, nan},
		{"half", cpuTime{50, 100}, cpuTime{51, 102}, 50},
		{"idle", cpuTime{50, 100}, cpuTime{50, 102}, 0},
		{"busy", cpuTime{50, 100}, cpuTime{52, 102}, 100},
		{"no time passed", cpuTime{50, 100}, cpuTime{50, 100}, nan},
		{"a counter that went back", cpuTime{50, 100}, cpuTime{49, 102}, 0},
		{"a counter that overtook", cpuTime{50, 100}, cpuTime{60, 102}, 100},
	}
	for _, tt := range tests {
		if got := tt.from.until(tt.now); !cmp.Equal(got, tt.want, cmpopts.EquateNaNs()) {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

// TestThisComputer reads the machine that the test runs on.
func TestThisComputer(t *testing.T) {
	p := NewSystemProbe(filepath.Join(t.TempDir(), "sites", "that", "do", "not", "exist", "yet"))
	p.sys = kernel(nil) // what zones a machine has is its own affair
	s, err := p.Read(context.Background())
	if err != nil {
		t.Fatalf("on %s: %v", runtime.GOOS, err)
	}
	if s.RAM <= 0 || s.RAM > 100 || s.RAMTotal <= 0 || s.RAMUsed <= 0 || s.RAMUsed > s.RAMTotal || s.DiskFree <= 0 || s.Load < 0 {
		t.Errorf("system %+v", s)
	}
	if d := math.Abs(s.RAM - 100*s.RAMUsed/s.RAMTotal); d > 1e-9 {
		t.Errorf("memory %g %%, %g of %g GB", s.RAM, s.RAMUsed, s.RAMTotal)
	}
	if !math.IsNaN(s.CPU) {
		t.Errorf("processor use %g %% in the first reading, want NaN", s.CPU)
	}
	if p.lastCPU.all <= 0 || p.lastCPU.busy <= 0 || p.lastCPU.busy > p.lastCPU.all {
		t.Errorf("processor times %+v", p.lastCPU)
	}
}

func TestDiskThatCannotBeAsked(t *testing.T) {
	p := NewSystemProbe("a\x00b")
	s := Unknown()
	if err := p.readDisk(context.Background(), &s); err == nil || !strings.Contains(err.Error(), "read the space left at a") {
		t.Errorf("error %v", err)
	}
	if !math.IsNaN(s.DiskFree) {
		t.Errorf("%g GB free", s.DiskFree)
	}
}

func BenchmarkRead(b *testing.B) {
	p := NewSystemProbe(b.TempDir())
	for b.Loop() {
		if _, err := p.Read(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
