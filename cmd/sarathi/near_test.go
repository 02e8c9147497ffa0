package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNear(t *testing.T) {
	names := []string{"/control/status", "/control/estop_request", "/health/status", "/map", "/mapping/grid", "/site/static", "/molly/scan", "/site/status", "/tf"}
	tests := []struct {
		name string
		want []string
	}{
		{"/control/status", []string{"/control/status"}},
		{"/control/statsu", []string{"/control/status"}},
		{"control/Status", []string{"/control/status"}},
		{"status", []string{"/site/status", "/health/status", "/control/status"}},
		{"/site/statos", []string{"/site/status"}},
		{"scan", []string{"/molly/scan"}},
		{"/mpa", []string{"/map"}},
		{"/completely/else", nil},
		{"", nil},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, near(tt.name, names)); diff != "" {
			t.Errorf("near %q (-want +got):\n%s", tt.name, diff)
		}
	}
}
