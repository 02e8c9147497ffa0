package controlsocket_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sarathi/internal/config"
	"sarathi/internal/gateway/controlsocket"
	"sarathi/internal/node"
)

func newNode(t *testing.T, path string) *controlsocket.Node {
	t.Helper()
	n, err := controlsocket.New(controlsocket.Config{Path: path}, controlsocket.Deps{Nodes: func() []node.Stats { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestNewChecksItsConfig(t *testing.T) {
	deps := controlsocket.Deps{Nodes: func() []node.Stats { return nil }}
	for _, path := range []string{"", strings.Repeat("x", 104)} {
		if _, err := controlsocket.New(controlsocket.Config{Path: path}, deps); !errors.Is(err, config.ErrInvalid) {
			t.Errorf("path %q: error %v, want %v", path, err, config.ErrInvalid)
		}
	}
	if _, err := controlsocket.New(controlsocket.Config{Path: "x"}, controlsocket.Deps{}); err == nil {
		t.Error("accepted no Deps.Nodes")
	}
}

func TestTheSocketIsForItsUserAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", controlsocket.FileName)
	n := newNode(t, path)
	if err := n.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]os.FileMode{path: 0o600, path + ".lock": 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", file, got, want)
		}
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the socket is still there: %v", err)
	}
}

func TestASecondRobotIsRefusedBeforeAnythingStarts(t *testing.T) {
	first := startRobot(t)
	second := newRobot(t, first.socket)
	err := second.start()
	if !errors.Is(err, controlsocket.ErrRunning) || !strings.Contains(err.Error(), fmt.Sprintf("(pid %d)", os.Getpid())) {
		t.Errorf("error %v, want one with the pid that runs", err)
	}
	if g := second.bus.Graph(); len(g.Topics) > 0 || len(g.Services) > 0 {
		t.Errorf("the second robot began: %+v", g)
	}
	if _, err := first.connect(t).Graph(within(t)); err != nil {
		t.Errorf("the first one suffered: %v", err)
	}
}

func TestWhatADeadRobotLeftIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), controlsocket.FileName)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	if err := os.WriteFile(path+".lock", []byte("123456789\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newNode(t, path)
	if err := n.Prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if text, err := os.ReadFile(path + ".lock"); err != nil || string(text) != fmt.Sprintf("%d\n", os.Getpid()) {
		t.Errorf("the lock names %q, %v", text, err)
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestPrepareNamesTheRemedy(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, path, says string }{
		{"a file is in the way", file, "is no socket: move it"},
		{"the state folder is a file", filepath.Join(file, controlsocket.FileName), "--set state.dir="},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := newNode(t, tt.path).Prepare(context.Background())
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v, want one that says %q", err, tt.says)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file became %q, %v", text, err)
	}
}
