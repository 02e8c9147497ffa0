package main

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// halAgent runs `sarathi hal agent` until the test ends and returns its URL.
func halAgent(t *testing.T, args ...string) string {
	t.Helper()
	e := testEnv(t)
	out, in := io.Pipe()
	e.stdout, e.stderr = in, io.Discard
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, e, append([]string{"--json", "hal", "agent", "--listen", "127.0.0.1:0", "--set", "simulated.world=empty"}, args...))
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the agent says nothing and ends with %d", <-ended)
	}
	var started struct{ Event, Robot, URL string }
	if err := json.Unmarshal(lines.Bytes(), &started); err != nil || started.Event != "started" {
		t.Fatalf("%s: %v", lines.Text(), err)
	}
	t.Cleanup(func() {
		cancel()
		if !lines.Scan() || !strings.Contains(lines.Text(), `"stopped"`) {
			t.Errorf("at the end it says %q", lines.Text())
		}
		if code := <-ended; code != exitDone {
			t.Errorf("the agent ends with %d", code)
		}
	})
	return started.URL
}

// halControl runs `sarathi hal control URL …`. A robot that another program has just let go of may need a moment.
func halControl(t *testing.T, url, line string) ran {
	t.Helper()
	return runAt(t.Context(), t, url, "hal control ROBOT "+line)
}

func TestHALControl(t *testing.T) {
	url := halAgent(t)
	for _, c := range []struct {
		line string
		code int
		want []string // in what is printed, on either stream
	}{
		{"status", 0, []string{"zelpi", "diff, up to 0.8 m/s and 1.5 rad/s", "emergency_stop, slow_speed", "50 Hz", "x 0.00 y 0.00 m"}},
		{"drive 0.3 0 --for 700ms", 0, []string{"x 0.", "battery"}},
		{"drive --for 300ms -- -0.3 0.1", 0, []string{"m/s"}},
		{"drive fast 0", 2, []string{"fast"}},
		{"drive NaN 0", 2, []string{"finite"}},
		{"skill slow_speed", 0, []string{"slow_speed done"}},
		{"skill fly", 2, []string{"the robot has no skill fly: it has emergency_stop"}},
		{"skill slow_speed speed=x", 2, []string{"argument speed=x"}},
		{"estop a-person", 0, []string{"e-stop engaged: a-person"}},
		{"status", 0, []string{"E-STOP"}},
		{"drive 0.3 0", 1, []string{"the e-stop is engaged"}},
		{"skill slow_speed", 1, []string{"e-stop"}},
		{"release", 0, []string{"released"}},
		{"release", 0, []string{"released"}},
		{"skill emergency_stop", 0, []string{"emergency_stop done"}},
		{"release", 0, []string{"released"}},
		{"watch --count 2 --rate 50", 0, []string{"battery", "m/s"}},
		{"estop --json", 0, []string{`"estop": true`, `"estop_reason": "asked for by sarathi hal control"`}},
		{"release --json", 0, []string{`"estop": false`}},
		{"skill slow_speed --json", 0, []string{`"status":"done"`}},
		{"watch --count 1 --json", 0, []string{`"vx":`}},
		{"status --json", 0, []string{`"robot_kind": "zelpi"`, `"v_max": 0.8`, `"joints": null`}},
		{"fly", 2, []string{"fly"}},
	} {
		got := halControl(t, url, c.line)
		text := got.stdout + got.stderr
		for _, want := range c.want {
			if got.code != c.code || !strings.Contains(text, want) {
				t.Errorf("%s: exit %d, want %d with %q:\n%s", c.line, got.code, c.code, want, text)
			}
		}
	}
}

func TestHALArm(t *testing.T) {
	url := halAgent(t, "--driver", "arm", "--id", "left")
	for line, want := range map[string]string{
		"status": "setJoints, home, emergency_stop, open_gripper",
		"skill setJoints joints=0.1,-0.5,-1,0,1.4,0 gripper=0.5": "setJoints done",
	} {
		if got := halControl(t, url, line); got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if got := halControl(t, url, "skill setJoints joints=1,2"); got.code != 1 || !strings.Contains(got.stderr, "2 joints, want 6") {
		t.Errorf("%+v", got)
	}
	got := halControl(t, url, "status --json")
	var s halStatus
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || s.DOF != 6 || len(s.State.Joints) != 6 || s.State.Joints[0] < 0.09 {
		t.Errorf("%+v: %v", s, err)
	}
}

func TestHALWithTokenAndTLS(t *testing.T) {
	cert, key := selfSigned(t)
	url := halAgent(t, "--token", "secret", "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(url, "wss://") {
		t.Errorf("it listens at %s", url)
	}
	for line, want := range map[string]int{
		"status --token secret --ca " + cert: 0,
		"status --token wrong --ca " + cert:  1,
		"status --token secret":              1, // nobody vouches for the certificate
		"status --ca nothing.pem":            2,
	} {
		if got := halControl(t, url, line); got.code != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestHALAgentThatCannotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for line, want := range map[string]string{
		"hal agent --listen " + taken.Addr().String():             "address already in use",
		"hal agent --listen a:b:c":                                "HOST or HOST:PORT",
		"hal agent --profile moly":                                "there is no profile moly",
		"hal agent --listen 127.0.0.1:0 --tls-cert x --tls-key y": "PEM",
		"hal agent --driver tank":                                 "tank",
		"hal control ws://127.0.0.1:1 status":                     "refused",
		"hal control http://127.0.0.1:1 status":                   "write ws://HOST:PORT",
	} {
		got := runAt(t.Context(), t, "nowhere", line)
		if got.code == 0 || !strings.Contains(got.stderr, want) {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

// selfSigned makes a certificate for this computer.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", secret)
}
