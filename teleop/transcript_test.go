package teleop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata")

// TestTranscripts replays whole sessions byte for byte. A file holds inputs and what they caused:
//
//	@1.25                       the clock shows 1.25 s; what is due happens
//	> 10.0.0.2:5000 {…}         a datagram arrives; x"…" holds Go escapes
//	= state|map|site|route|none  the robot sets its full state, a map, …
//	= finish NAME OK MSG DATA    a command ends
//	= token T / = close
//	< ADDR …                    expected: a datagram leaves; streams with their header in hex
//	! …                         expected: an effect
func TestTranscripts(t *testing.T) {
	for _, d := range Dialects() {
		t.Run(d.Name, func(t *testing.T) {
			path := "testdata/" + d.Name + ".txt"
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, d, text)
			if *update {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, had := bytes.Split(text, []byte("\n")), bytes.Split(got, []byte("\n"))
			for i := range max(len(want), len(had)) {
				if i >= len(want) || i >= len(had) || !bytes.Equal(want[i], had[i]) {
					t.Fatalf("%s:%d differs (-update rewrites):\n got %s\nwant %s", path, i+1, lineAt(had, i), lineAt(want, i))
				}
			}
		})
	}
}

func lineAt(lines [][]byte, i int) []byte {
	if i < len(lines) {
		return lines[i]
	}
	return []byte("(end)")
}

func replay(t *testing.T, d *Dialect, text []byte) []byte {
	t.Helper()
	cfg := everyCommand(d)
	cfg.Name, cfg.Token, cfg.TelemetryHz, cfg.Burst = d.Name+"-1", "secret", 1, 64
	cfg.Video = Video{8890, "robot"}
	s, err := NewSession(d, cfg)
	if err != nil {
		t.Fatal(err)
	}
	now, refs, out := epoch, map[string]Ref{}, &bytes.Buffer{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "<") || strings.HasPrefix(line, "!") {
			continue
		}
		fmt.Fprintln(out, line)
		var o Output
		switch {
		case strings.HasPrefix(line, "@"):
			at, err := strconv.ParseFloat(line[1:], 64)
			if err != nil {
				t.Fatal(err)
			}
			now = epoch.Add(time.Duration(at * float64(time.Second)))
			o = s.Tick(now)
		case strings.HasPrefix(line, "> "):
			from, data, _ := strings.Cut(line[2:], " ")
			if quoted, ok := strings.CutPrefix(data, "x"); ok {
				if data, err = strconv.Unquote(quoted); err != nil {
					t.Fatal(err)
				}
			}
			o = s.HandleDatagram(now, netip.MustParseAddrPort(from), []byte(data))
		case strings.HasPrefix(line, "= "):
			o = robotDoes(t, s, now, refs, strings.Fields(line[2:]))
		}
		for _, e := range o.Effects {
			if e.Kind == EffectCommand {
				refs[e.Command.Name()] = e.Command.Ref
			}
			fmt.Fprintln(out, "!", effectText(e))
		}
		for _, m := range o.Datagrams {
			fmt.Fprintln(out, "<", m.To, datagramText(d, m.Data))
		}
	}
	return out.Bytes()
}

func robotDoes(t *testing.T, s *Session, now time.Time, refs map[string]Ref, words []string) Output {
	t.Helper()
	switch words[0] {
	case "state":
		st := fullState()
		st.Mission = Opt[string]{}
		s.SetState(st)
	case "none":
		s.SetState(State{})
	case "map":
		return s.SetMap(now, testMap(1500))
	case "site":
		return s.SetSite(now, testSite())
	case "route":
		return s.SetRoute(now, []RoutePoint{{1, 2.5, 0}, {3, 4, 10}})
	case "camera":
		return s.Camera(now, []byte("\xff\xd8jpeg"))
	case "lidar":
		return s.Lidar(now, AppendLidarPoint(nil, 1, -2, 0.5))
	case "finish":
		return s.Finish(now, refs[words[1]], Result{words[2] == "true", words[3], []byte(strings.Join(words[4:], " "))})
	case "token":
		return s.SetToken(now, words[1])
	case "close":
		return s.Close(now)
	default:
		t.Fatalf("unknown line: = %v", words)
	}
	return Output{}
}

func effectText(e Effect) string {
	switch e.Kind {
	case EffectVelocity:
		if e.Disarm {
			return "velocity: disarm"
		}
		return fmt.Sprintf("velocity %g %g %g", e.Velocity.VX, e.Velocity.VY, e.Velocity.WZ)
	case EffectEStop:
		return "estop: " + e.Reason
	case EffectCommand:
		return fmt.Sprintf("command %s %d %s", e.Command.Name(), e.Command.Ref.ID, e.Command.Args.AppendJSON(nil))
	case EffectStreams:
		return fmt.Sprintf("streams camera=%t lidar=%t video=%t fps=%g", e.Streams.Camera, e.Streams.Lidar, e.Streams.Video, e.Streams.CameraFPS)
	case EffectStarted:
		return fmt.Sprintf("started %d %s %s", e.Client.Session, e.Client.Addr, e.Client.Name)
	default:
		return fmt.Sprintf("ended %d: %s", e.Client.Session, e.Reason)
	}
}

func datagramText(d *Dialect, data []byte) string {
	if _, payload, err := d.ParseChunk(data); err == nil {
		if len(payload) > 300 {
			return fmt.Sprintf("%x + %d bytes %q…", data[:ChunkHeaderSize], len(payload), payload[:120])
		}
		return fmt.Sprintf("%x + %q", data[:ChunkHeaderSize], payload)
	}
	if !json.Valid(data) {
		return fmt.Sprintf("NOT JSON %q", data)
	}
	return string(data)
}
