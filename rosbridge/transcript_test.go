package rosbridge_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sarathi/rosbridge"
)

var update = flag.Bool("update", false, "rewrite what is received in testdata/*.txt")

// TestTranscripts plays the conversations of testdata against a broker of its own each. A line is one of
//
//	# comment
//	name > frame     the client sends a text frame and the broker handles it
//	name * hex       the client sends a binary frame
//	name < frame     the client receives exactly this text frame
//	name << hex      the client receives exactly this binary frame
//	name .           the client receives nothing more
//	name !           the client closes its connection
//	name @ path      the client connects at a path; without it, it connects at / when it first speaks
//
// Times are replaced by T, PNG data by its text.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := &player{t: t, rig: start(t, config()), users: map[string]*user{}}
			out := p.play(string(text))
			if *update && !t.Failed() {
				if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

type player struct {
	t     *testing.T
	rig   *rig
	users map[string]*user
	line  int
}

func (p *player) user(name string) *user {
	if p.users[name] == nil {
		p.users[name] = p.rig.join()
	}
	return p.users[name]
}

func (p *player) play(text string) string {
	p.t.Helper()
	var out strings.Builder
	for line := range strings.Lines(text) {
		p.line++
		line = strings.TrimRight(line, "\n")
		if line != "" && line[0] != '#' {
			line = p.step(line)
		}
		out.WriteString(line + "\n")
	}
	for _, u := range p.users {
		u.quiet()
	}
	return out.String()
}

// step plays one line and returns it as it should have been.
func (p *player) step(line string) string {
	p.t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	what, text, _ := strings.Cut(rest, " ")
	switch what {
	case "@":
		p.users[name] = p.rig.joinAt(text)
	case ">":
		p.user(name).say(text)
	case "*":
		raw, err := hex.DecodeString(text)
		if err != nil {
			p.t.Fatal(err)
		}
		p.user(name).send(2, string(raw))
		p.user(name).sync()
	case "!":
		n := len(p.rig.Stats().Clients)
		p.user(name).leave()
		delete(p.users, name)
		until(p.t, "the client is gone", func() bool { return len(p.rig.Stats().Clients) < n })
	case ".":
		p.user(name).quiet()
	case "<", "<<":
		g := p.user(name).next()
		have := name + " < " + timeless(g.text)
		if g.binary != nil {
			have = name + " << " + hex.EncodeToString(timelessCBOR(g.binary))
		}
		if have != line && !*update {
			p.t.Fatalf("line %d:\ngot  %s\nwant %s", p.line, have, line)
		}
		return have
	default:
		p.t.Fatalf("line %d: what is %q?", p.line, line)
	}
	return line
}

var (
	times   = regexp.MustCompile(`"sec":[0-9]{10},"nanosec":[0-9]+`)
	pngData = regexp.MustCompile(`"op":"png","data":"([^"]*)"`)
)

// timeless replaces what differs from run to run.
func timeless(text string) string {
	if m := pngData.FindStringSubmatch(text); m != nil {
		inner, err := rosbridge.DecodePNG(m[1], 1<<20)
		text = fmt.Sprintf("png(%s)%v", inner, err)
	}
	return times.ReplaceAllString(text, `"sec":T,"nanosec":T`)
}

// appendStamp appends a stamp of zeros: its numbers have as many bytes as they need, which differs.
func appendStamp(dst []byte) []byte { return append(dst, "dsecs\x00ensecs\x00"...) }

// timelessCBOR zeroes the stamp of a cbor-raw message.
func timelessCBOR(data []byte) []byte {
	from, to := bytes.Index(data, []byte("dsecs\x1a")), bytes.Index(data, []byte("ebytes"))
	if from < 0 || to < 0 {
		return data
	}
	stampless := append(slices.Clone(data[:from]), appendStamp(nil)...)
	return append(stampless, data[to:]...)
}
