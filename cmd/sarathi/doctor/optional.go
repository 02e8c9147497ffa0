package doctor

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// program is one that the robot uses where it is installed.
type program struct{ name, without, remedy string }

func (h Host) program(p program) Result {
	path, err := h.LookPath(p.name)
	if err != nil {
		return missing(p.name, p.without, p.remedy)
	}
	return ok(p.name, path)
}

// glob returns the files of the host that match one of the patterns, sorted.
func (h Host) glob(patterns ...string) []string {
	var out []string
	for _, p := range patterns {
		found, err := filepath.Glob(filepath.Join(h.Root, p))
		if err != nil {
			panic(err) // the pattern, which is written here, is wrong
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out
}

// apriltag looks where the dynamic linker does by default on Debian, Ubuntu, Fedora and Alpine.
func (h Host) apriltag() Result {
	const file = "libapriltag.so*"
	found := h.glob("lib/"+file, "lib/*/"+file, "lib64/"+file, "usr/lib/"+file, "usr/lib/*/"+file, "usr/lib64/"+file,
		"usr/local/lib/"+file, "usr/local/lib/*/"+file)
	if len(found) == 0 {
		return missing("libapriltag", "no tags: neither localization by tag nor docking with a camera", "apt-get install libapriltag3")
	}
	return ok("libapriltag", found[0])
}

// temperature reads the kernel's sensors, in millidegrees.
func (h Host) temperature() Result {
	const name = "temperature"
	files := h.glob("sys/class/thermal/thermal_zone*/temp", "sys/class/hwmon/hwmon*/temp*_input")
	if len(files) == 0 {
		return missing(name, "the kernel shows no sensor: a hot computer is not noticed",
			"on a PC: apt-get install lm-sensors, then sensors-detect; in a virtual machine there are none")
	}
	lo, hi, n := math.Inf(1), math.Inf(-1), 0
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // a sensor that sleeps answers with an error
		}
		milli, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil || math.Abs(milli) > 200_000 {
			continue
		}
		lo, hi, n = min(lo, milli/1000), max(hi, milli/1000), n+1
	}
	if n == 0 {
		return broken(name, fmt.Sprintf("%d sensors, none can be read", len(files)), "make /sys/class/thermal readable for this user")
	}
	return ok(name, fmt.Sprintf("%d sensors, %.0f to %.0f °C", n, lo, hi))
}

// clock checks that the time of day can be true, and whether something keeps it so.
func (h Host) clock() Result {
	const name, remedy = "clock", "apt-get install chrony, or timedatectl set-ntp true"
	if !h.Built.IsZero() && h.Now.Before(h.Built) {
		return broken(name, fmt.Sprintf("it shows %s, which is before this program was written", h.Now.UTC().Format("2006-01-02 15:04")), remedy)
	}
	switch synchronous, err := h.Synchronous(); {
	case err != nil:
		return missing(name, fmt.Sprintf("it cannot be told whether it follows a time server (%v): recordings of several machines may not match", err), remedy)
	case !synchronous:
		return missing(name, "it follows no time server: recordings of several machines do not match", remedy)
	default:
		return ok(name, "follows a time server")
	}
}
