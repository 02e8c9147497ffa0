package healthmonitor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"
)

// SystemProbe reads the computer that the program runs on. A read costs a handful of small files of /proc and /sys. Use
// [NewSystemProbe].
type SystemProbe struct {
	disk    string
	sys     fs.FS // the kernel's /sys
	sought  bool  // zones and gpu were looked for
	zones   []string
	gpu     string // file with the load of a Jetson's graphics, empty elsewhere
	lastCPU cpuTime
}

// cpuTime is what all processors together have done since the start of the computer, in seconds.
type cpuTime struct{ busy, all float64 }

var _ Probe = (*SystemProbe)(nil)

// NewSystemProbe returns a probe that reports the space of the file system on which diskPath is, or will be.
func NewSystemProbe(diskPath string) *SystemProbe {
	return &SystemProbe{disk: diskPath, sys: os.DirFS("/sys")}
}

// Read implements Probe. Processor use is that since the last Read, NaN in the first.
func (p *SystemProbe) Read(ctx context.Context) (System, error) {
	if !p.sought {
		p.sought = true
		p.seek()
	}
	s := Unknown()
	err := errors.Join(p.readCPU(ctx, &s), readMemory(ctx, &s), p.readDisk(ctx, &s), readLoad(ctx, &s), p.readTemp(&s), p.readGPU(&s))
	return s, err
}

func (p *SystemProbe) readCPU(ctx context.Context, s *System) error {
	times, err := cpu.TimesWithContext(ctx, false)
	if err != nil {
		return fmt.Errorf("read the processor times: %w", err)
	}
	if len(times) == 0 {
		return errors.New("read the processor times: the system names no processor")
	}
	t := times[0]
	now := cpuTime{busy: t.User + t.System + t.Nice + t.Irq + t.Softirq + t.Steal} // guests are counted in User and Nice
	now.all = now.busy + t.Idle + t.Iowait
	s.CPU = p.lastCPU.until(now)
	p.lastCPU = now
	return nil
}

// until returns the share of busy time between two readings in %, NaN when there is no telling.
func (c cpuTime) until(now cpuTime) float64 {
	if c.all == 0 || now.all <= c.all {
		return math.NaN()
	}
	return min(max(100*(now.busy-c.busy)/(now.all-c.all), 0), 100)
}

func readMemory(ctx context.Context, s *System) error {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return fmt.Errorf("read the memory in use: %w", err)
	}
	if m.Total == 0 || m.Available > m.Total {
		return fmt.Errorf("read the memory in use: %d of %d bytes available", m.Available, m.Total)
	}
	used := m.Total - m.Available // what caches hold can be had
	s.RAM = 100 * float64(used) / float64(m.Total)
	s.RAMUsed, s.RAMTotal = float64(used)/1e9, float64(m.Total)/1e9
	return nil
}

// readDisk asks about the nearest folder that exists: that of the sites is made when the first one is saved.
func (p *SystemProbe) readDisk(ctx context.Context, s *System) error {
	for dir := filepath.Clean(p.disk); ; dir = filepath.Dir(dir) {
		usage, err := disk.UsageWithContext(ctx, dir)
		if err == nil {
			s.DiskFree = float64(usage.Free) / 1e9
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			return fmt.Errorf("read the space left at %s: %w", dir, err)
		}
	}
}

func readLoad(ctx context.Context, s *System) error {
	l, err := load.AvgWithContext(ctx)
	if err != nil {
		return fmt.Errorf("read the load: %w", err)
	}
	s.Load = l.Load1
	return nil
}

// jetsonGPUs are the places of the load file of a Jetson's graphics: of Orin, Xavier, TX2 and Nano, whose kernels name it differently.
func jetsonGPUs() []string {
	return []string{
		"class/devfreq/*.gpu/device/load",
		"class/devfreq/*.ga10b/device/load",
		"class/devfreq/*.gv11b/device/load",
		"class/devfreq/*.gp10b/device/load",
		"devices/platform/gpu.0/load",
		"devices/gpu.0/load",
	}
}

// seek looks for what there is to read. Drivers are there before the robot's program starts.
func (p *SystemProbe) seek() {
	zones, err := fs.Glob(p.sys, "class/thermal/thermal_zone*/temp")
	if err != nil {
		return // the pattern is good: Glob has no other error
	}
	p.zones = slices.DeleteFunc(zones, func(zone string) bool {
		kind, err := fs.ReadFile(p.sys, path.Join(path.Dir(zone), "type"))
		// A placeholder that says 100 °C at all times on Jetsons Nano to Xavier.
		return err == nil && strings.TrimSpace(string(kind)) == "PMIC-Die"
	})
	for _, pattern := range jetsonGPUs() {
		if found, err := fs.Glob(p.sys, pattern); err == nil && len(found) > 0 {
			p.gpu = found[0]
			return
		}
	}
}

// Temperatures outside are those of a sensor that is not connected.
const (
	coldest = -40.0 // [degC]
	hottest = 150.0 // [degC]
)

// readTemp takes the hottest zone. Some of them may not be readable: those of parts that are switched off.
func (p *SystemProbe) readTemp(s *System) error {
	var errs []error
	for _, zone := range p.zones {
		milli, err := p.number(zone)
		switch t := milli / 1000; {
		case err != nil:
			errs = append(errs, err)
		case t < coldest || t > hottest:
			errs = append(errs, fmt.Errorf("%s: %g °C is no temperature of a computer", zone, t))
		case math.IsNaN(s.Temp) || t > s.Temp:
			s.Temp = t
		}
	}
	if math.IsNaN(s.Temp) && len(errs) > 0 {
		return fmt.Errorf("read the temperature: %w", errors.Join(errs...))
	}
	return nil
}

func (p *SystemProbe) readGPU(s *System) error {
	if p.gpu == "" {
		return nil
	}
	permille, err := p.number(p.gpu)
	if err != nil {
		return fmt.Errorf("read the load of the graphics: %w", err)
	}
	s.GPU = min(max(permille/10, 0), 100)
	return nil
}

func (p *SystemProbe) number(file string) (float64, error) {
	text, err := fs.ReadFile(p.sys, file)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return float64(n), nil
}
