package site

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// victimFolder is the environment variable that makes a process of the test binary a victim: it changes the site in that folder until
// it is killed.
const victimFolder = "SARATHI_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimFolder); dir != "" {
		if err := victim(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victim adds POIs and tours of them, and deletes the POIs again, and tells the number of each change that is on disk.
func victim(dir string) error {
	f, err := OpenFolder(dir)
	if err != nil {
		return err
	}
	s := NewStore(f)
	for i := 0; ; i++ {
		_, err := s.Edit("museum", noon, func(c Content) (Content, error) {
			c.POIs = []POI{{ID: fmt.Sprintf("poi-%d", i), Name: "P", X: float64(i)}}
			c.Tours = []Tour{{ID: fmt.Sprintf("tour-%d", i), Name: "T", POIIDs: []string{fmt.Sprintf("poi-%d", i)}}}
			return c, nil
		})
		if err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// A real process, killed with SIGKILL at whatever instant: what it said is on disk is on disk, or what it was about to do after that.
func TestARealProcessIsKilled(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		dir := t.TempDir()
		f, err := OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		s := NewStore(f)
		if err := s.Create("museum"); err != nil {
			t.Fatal(err)
		}
		last := killAfter(t, binary, dir, 1+round*3, time.Duration(round)*137*time.Microsecond)
		got, err := s.Open("museum", noon)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		c := got.Content
		if len(c.POIs) != 1 || len(c.Tours) != 1 {
			t.Fatalf("round %d: %+v, notes %q", round, c, got.Notes)
		}
		n := int(c.POIs[0].X)
		if c.Tours[0].ID != fmt.Sprintf("tour-%d", n) || n != last && n != last+1 {
			t.Errorf("round %d: change %d was on disk, and now there is %d with %s", round, last, n, c.Tours[0].ID)
		}
		for _, e := range must(f.List("museum"))(t) {
			if e.Name[0] == '.' {
				t.Errorf("round %d: %s was left behind", round, e.Name)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// killAfter runs a victim until it has told a number of changes and a moment more, kills it, and returns the last change it told.
func killAfter(t *testing.T, binary, dir string, changes int, moment time.Duration) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), victimFolder+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, lines := -1, bufio.NewScanner(out)
	for told := 0; lines.Scan(); told++ {
		if _, err := fmt.Sscan(lines.Text(), &last); err != nil {
			t.Fatalf("the victim says %q", lines.Text())
		}
		if told == changes {
			time.AfterFunc(moment, func() { _ = cmd.Process.Kill() }) // it goes on meanwhile
		}
	}
	_ = cmd.Wait() // killed, as it was meant to be
	return last
}
